package dev.remat.compiler.choose;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.ProvedBounds;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.bound.LowerBounds;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.section.PreparedSection;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.ShareOf;
import dev.remat.ir.graph.Value;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.GatherShares;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * What no plan costs less than, whichever parameters its ranks hold in shares and whichever whole: that of a step whose
 * shares of parameters take no memory and whose exchanges take no time. A plan that holds a parameter whole becomes one
 * of that step if it gathers the parameter once and keeps it.
 */
final class SharingBound {
    private SharingBound() {}

    /**
     * In the unit of the step's costs, without waiting for exchanges.
     *
     * @param shared with all parameters in shares that can be
     */
    static long of(PreparedStep shared, OptionalLong budgetBytes, SearchListener listener) {
        RematProblem relaxed = relaxed(shared.planning());
        ProvedBounds bounds = new ProvedBounds(listener.withoutProofs());
        PlannerOptions options = PlannerOptions.none().with(Effort.QUICK).telling(bounds);
        LowerBounds.of(relaxed, budgetBytes.isPresent() ? options.within(budgetBytes.getAsLong()) : options);
        long cost = shared.cost(bounds.ofAnyOrder(relaxed).cost());
        for (PreparedSection beside :
                Stream.concat(shared.before().stream(), shared.after().stream()).toList()) {
            cost -= beside.rounds() * exchanged(beside.planning());
        }
        return cost;
    }

    /** The same of a plan that was found. */
    static long of(Compilation shared, SearchListener listener) {
        return of(shared.step(), shared.search().budgetBytes(), listener);
    }

    private static RematProblem relaxed(PlanningProblem planning) {
        RematProblem problem = planning.problem();
        List<ProblemNode> nodes = new ArrayList<>();
        for (int n = 0; n < problem.nodeCount(); n++) {
            ProblemNode node = problem.node(n);
            if (n < planning.residents()) {
                boolean free = parameters(planning, planning.values().get(problem.firstResult(n)))
                        .isPresent();
                nodes.add(free ? withBytes(node, 0) : node);
            } else {
                nodes.add(root(planning, n).op() instanceof Exchange ? exchange(planning, n) : node);
            }
        }
        return RematProblem.of(problem.name(), nodes, problem.outputs(), problem.tiers());
    }

    /** That takes no time, and brings no more bytes than whole parameters have. */
    private static ProblemNode exchange(PlanningProblem planning, int number) {
        Graph graph = planning.fused().graph();
        Node root = root(planning, number);
        ProblemNode free = planning.problem().node(number).withCost(0);
        Optional<ShareOf> brought = root.op() instanceof GatherShares
                ? parameters(planning, root.operands().getFirst())
                : Optional.empty();
        long each = graph.type(root.results().getFirst()).dtype().bytes();
        return brought.map(share -> withBytes(
                        free,
                        share.parts().stream()
                                .mapToLong(part -> each * part.type().elements())
                                .sum()))
                .orElse(free);
    }

    private static ProblemNode withBytes(ProblemNode node, long bytes) {
        return node.withResults(node.results().stream()
                .map(value ->
                        new ProblemValue(value.id(), Math.min(value.bytes(), bytes), value.viewOf(), value.inPlaceOf()))
                .toList());
    }

    private static Node root(PlanningProblem planning, int number) {
        return planning.fused().graph().node(planning.group(number).root());
    }

    /** The parameters of which a value is a rank's share, perhaps in another dtype. */
    private static Optional<ShareOf> parameters(PlanningProblem planning, ValueId value) {
        Graph graph = planning.fused().graph();
        ValueId at = value;
        while (graph.value(at).producer().isPresent()) {
            Node producer = graph.node(graph.value(at).producer().get());
            if (!(producer.op() instanceof Cast)) {
                return Optional.empty();
            }
            at = producer.operands().getFirst();
        }
        GraphInput input = graph.inputs().get(((Value.Input) graph.value(at).definition()).index());
        return input.kind() == InputKind.PARAMETER ? input.share() : Optional.empty();
    }

    private static long exchanged(PlanningProblem planning) {
        long cost = 0;
        for (int n = planning.residents(); n < planning.problem().nodeCount(); n++) {
            cost += root(planning, n).op() instanceof Exchange
                    ? planning.problem().cost(n)
                    : 0;
        }
        return cost;
    }
}
