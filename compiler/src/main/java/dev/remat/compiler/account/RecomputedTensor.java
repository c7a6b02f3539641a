package dev.remat.compiler.account;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Value;
import dev.remat.ir.plan.OperatorSequence;
import java.util.ArrayList;
import java.util.List;

/**
 * A tensor that is computed more than once.
 *
 * @param times how often it is computed again, in each micro-batch
 * @param cost of these in a step, told of the first tensor that the kernel makes; 0 for its others
 */
public record RecomputedTensor(Value value, Location location, int times, long cost) {
    /** All of them, in the order in which they are first computed. */
    static List<RecomputedTensor> all(Compilation compilation) {
        PlanningProblem planning = compilation.planning();
        OperatorSequence sequence = compilation.sequence();
        int[] runs = new int[planning.problem().nodeCount()];
        sequence.nodes().forEach(node -> runs[node]++);
        List<RecomputedTensor> tensors = new ArrayList<>();
        Graph graph = planning.fused().graph();
        for (int node = planning.residents(); node < runs.length; node++) {
            int first = planning.problem().firstResult(node);
            int again = runs[node] - 1;
            for (int v = first; again > 0 && v < planning.problem().endResult(node); v++) {
                ValueId value = planning.values().get(v);
                tensors.add(new RecomputedTensor(
                        graph.value(value),
                        graph.location(value),
                        again,
                        v == first
                                ? (long) compilation.rounds()
                                        * again
                                        * planning.problem().cost(node)
                                : 0));
            }
        }
        return tensors;
    }

    public long bytes() {
        return value.type().bytes();
    }
}
