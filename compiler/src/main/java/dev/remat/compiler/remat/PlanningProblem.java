package dev.remat.compiler.remat;

import dev.remat.compiler.fusion.FusedGraph;
import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.plan.evaluate.OffloadPins;
import dev.remat.ir.Alignment;
import dev.remat.ir.ValueId;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.target.KernelWork;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A fused graph as planners see it.
 *
 * @param problem residents first, then one node a group
 * @param exact the same with the bytes of values that stay in the arena, where {@code problem} has those that are moved
 * @param residents number of resident nodes
 * @param values the graph value behind each value of the problem
 * @param work what each group does
 */
public record PlanningProblem(
        FusedGraph fused,
        RematProblem problem,
        RematProblem exact,
        int residents,
        List<ValueId> values,
        List<KernelWork> work) {
    public PlanningProblem {
        values = List.copyOf(values);
        work = List.copyOf(work);
    }

    /**
     * The same where values may be moved to tiers, in whole multiples of {@code alignment} bytes; its costs are
     * nanoseconds then. What a caller reads after the step stays.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if a pin to offload would move nothing
     */
    public PlanningProblem onTiers(Below below, long alignment) {
        CheckOffloads.run(this, below);
        if (below.isNothing()) {
            return this;
        }
        List<ProblemNode> nodes = new ArrayList<>();
        List<ProblemNode> padded = new ArrayList<>();
        for (int n = 0; n < problem.nodeCount(); n++) {
            ProblemNode node = problem.node(n);
            boolean stays = !below.movable().includes(node)
                    || IntStream.range(problem.firstResult(n), problem.endResult(n))
                            .anyMatch(problem::output);
            List<ProblemValue> whole = node.results().stream()
                    .map(value -> new ProblemValue(
                            value.id(), Alignment.up(value.bytes(), alignment), value.viewOf(), value.inPlaceOf()))
                    .toList();
            nodes.add(!node.resident() && stays ? node.notOffloadable() : node);
            padded.add(node.resident() || stays ? nodes.getLast() : node.withResults(whole));
        }
        return with(
                RematProblem.of(problem.name(), padded, problem.outputs(), below.tiers()),
                RematProblem.of(problem.name(), nodes, problem.outputs(), below.tiers()));
    }

    /** The same nodes, with other bytes or homes. */
    PlanningProblem with(RematProblem other, RematProblem otherExact) {
        return new PlanningProblem(fused, other, otherExact, residents, values, work);
    }

    /**
     * The problem of the device alone, with the bytes of values that stay in the arena; empty where there are no tiers,
     * and where something has to be moved: what lives below, or what a pin says to offload.
     */
    public Optional<RematProblem> still() {
        boolean moves = IntStream.range(0, exact.nodeCount())
                .anyMatch(n -> exact.node(n).home() != ProblemNode.DEVICE);
        return exact.tiers().isEmpty() || moves || !OffloadPins.of(exact).isEmpty()
                ? Optional.empty()
                : Optional.of(exact.withoutTiers());
    }

    /** The group behind a node that is no resident. */
    public FusionGroup group(int node) {
        return fused.groups().get(node - residents);
    }

    /** What the group behind a node that is no resident does. */
    public KernelWork work(int node) {
        return work.get(node - residents);
    }

    public long flops(int node) {
        return node < residents ? 0 : work(node).flops();
    }
}
