package dev.remat.compiler.remat;

import dev.remat.compiler.plan.evaluate.WorkingSets;
import dev.remat.ir.Alignment;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.Update;
import dev.remat.ir.op.UpdateRows;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Says which optimizer state to keep in slices of rows, where it lives below: that of updates which would need more in
 * memory at once than anything else of the step. Each such parameter's state is cut into the fewest slices with which
 * its update needs no more than that. What a caller has for a budget plays no part, so that a model has one layout of
 * its state.
 */
public final class ChooseSlices {
    /** Slices of a parameter's state at most: beside a whole parameter and its gradient, more would spare little. */
    private static final int MOST = 8;

    /**
     * An update that may be cut.
     *
     * @param beside bytes that it needs beside its states
     * @param states names of the inputs that are its states, all of one type
     * @param rowBytes of each of them
     * @param alignment of what is moved, in bytes
     */
    private record Divisible(long beside, List<String> states, long rows, long rowBytes, long alignment) {
        /** What it needs in memory at once. */
        long bytes(int slices) {
            return beside + states.size() * Alignment.up(Math.ceilDiv(rows, (long) slices) * rowBytes, alignment);
        }

        /** So many that each is still worth its way. */
        int most() {
            long leastRows = Math.ceilDiv(GiveHomes.WORTHWHILE, rowBytes);
            return Math.clamp(rows / leastRows, 1, MOST);
        }
    }

    private final long alignment;
    private final List<Divisible> divisible = new ArrayList<>();
    /** The most that anything else needs. */
    private long others;

    private ChooseSlices(long alignment) {
        this.alignment = alignment;
    }

    /**
     * Numbers of slices by the names of states, those that are to be cut alone.
     *
     * @param sections all of a step, with homes
     * @param alignment of what is moved, in bytes
     */
    public static SortedMap<String, Integer> run(List<PlanningProblem> sections, long alignment) {
        ChooseSlices choice = new ChooseSlices(alignment);
        sections.forEach(choice::add);
        return choice.slices();
    }

    private void add(PlanningProblem section) {
        RematProblem problem = section.problem();
        WorkingSets sets = new WorkingSets(problem);
        ValueMap<List<NodeId>> consumers = section.fused().graph().consumers();
        others = Math.max(others, sets.ofOutputs());
        for (int n = section.residents(); n < problem.nodeCount(); n++) {
            long bytes = sets.of(n);
            divisible(section, n, bytes, consumers)
                    .ifPresentOrElse(divisible::add, () -> others = Math.max(others, bytes));
        }
    }

    private Optional<Divisible> divisible(
            PlanningProblem section, int node, long bytes, ValueMap<List<NodeId>> consumers) {
        Graph graph = section.fused().graph();
        Node root = graph.node(section.group(node).root());
        if (!(root.op() instanceof Update update)
                || ElementwiseUpdate.in(update)
                        .filter(UpdateRows::suits)
                        .filter(whole -> whole.isByElement(graph.types(root.operands())))
                        .isEmpty()) {
            return Optional.empty();
        }
        List<String> names = new ArrayList<>();
        long whole = 0;
        for (Update.Write write : update.writes().subList(1, update.writes().size())) {
            ValueId state = root.operands().get(write.operand());
            boolean isLeft = !consumers.get(root.results().get(write.result())).isEmpty();
            if (!(graph.value(state).definition() instanceof Value.Input(int input))
                    || section.problem().node(input).home() == ProblemNode.DEVICE
                    || consumers.get(state).size() > 1
                    || isLeft) {
                return Optional.empty();
            }
            names.add(graph.value(state).name());
            whole += section.problem().bytes(section.problem().firstResult(input));
        }
        TensorType type = graph.type(root.operands().getFirst());
        if (type.rank() == 0) {
            return Optional.empty();
        }
        long rows = type.dim(0).value();
        return Optional.of(new Divisible(bytes - whole, names, rows, type.bytes() / rows, alignment));
    }

    private SortedMap<String, Integer> slices() {
        long most = others;
        for (Divisible update : divisible) {
            most = Math.max(most, update.bytes(update.most()));
        }
        SortedMap<String, Integer> slices = new TreeMap<>();
        for (Divisible update : divisible) {
            int count = 1;
            while (update.bytes(count) > most) {
                count++;
            }
            for (String state : count == 1 ? List.<String>of() : update.states()) {
                slices.put(state, count);
            }
        }
        return slices;
    }
}
