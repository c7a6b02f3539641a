package dev.remat.compiler.account;

import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.compiler.section.PlacedSection;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Role;
import java.util.List;

/**
 * What a step computes.
 *
 * @param flops floating point operations without recomputation
 * @param recomputeFlops floating point operations of recomputations
 * @param forward nodes of the forward pass in the plan, each counted once; views, constants and seeds are none
 * @param recomputed clones
 */
public record WorkDone(long flops, long recomputeFlops, int forward, int backward, int update, int recomputed) {
    static WorkDone of(List<PlacedSection> sections) {
        long flops = 0;
        long recomputeFlops = 0;
        int[] byRole = new int[Role.values().length];
        int recomputed = 0;
        for (PlacedSection section : sections) {
            boolean[] seen = new boolean[section.planning().problem().nodeCount()];
            for (int node : section.sequence().nodes().toArray()) {
                long own = Math.multiplyExact(section.planning().flops(node), (long) section.rounds());
                flops = Math.addExact(flops, seen[node] ? 0 : own);
                recomputeFlops = Math.addExact(recomputeFlops, seen[node] ? own : 0);
                seen[node] = true;
            }
            RematerializedGraph rematerialized = section.rematerialized();
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
