package dev.remat.compiler.report;

import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import java.util.List;

/**
 * What a step computes.
 *
 * @param flops floating point operations without recomputation
 * @param recomputeFlops floating point operations of recomputations
 * @param forward nodes of the forward pass, each counted once; views, constants and seeds are none
 * @param recomputed clones
 */
public record WorkDone(long flops, long recomputeFlops, int forward, int backward, int update, int recomputed) {
    static WorkDone of(PlanningProblem planning, OperatorSequence sequence, RematerializedGraph rematerialized) {
        long flops = 0;
        long recomputeFlops = 0;
        boolean[] seen = new boolean[planning.problem().nodeCount()];
        for (int t = 0; t < sequence.length(); t++) {
            int node = sequence.node(t);
            if (seen[node]) {
                recomputeFlops = Math.addExact(recomputeFlops, planning.flops(node));
            } else {
                flops = Math.addExact(flops, planning.flops(node));
            }
            seen[node] = true;
        }
        int[] byRole = new int[Role.values().length];
        int recomputed = 0;
        for (List<NodeId> step : rematerialized.steps()) {
            for (NodeId id : step) {
                Node node = rematerialized.graph().node(id);
                if (node.isClone()) {
                    recomputed++;
                } else {
                    byRole[node.role().ordinal()]++;
                }
            }
        }
        return new WorkDone(
                flops,
                recomputeFlops,
                byRole[Role.FORWARD.ordinal()],
                byRole[Role.BACKWARD.ordinal()],
                byRole[Role.UPDATE.ordinal()],
                recomputed);
    }
}
