package dev.remat.compiler.remat;

import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.NodeId;
import java.util.List;

/**
 * The training graph in exactly the planner's order, recomputations as clones.
 *
 * @param graph with retained marks and seed resets
 * @param steps nodes of each step of the sequence, without views, constants and seeds
 */
public record RematerializedGraph(Graph graph, List<List<NodeId>> steps) {
    public RematerializedGraph {
        steps = List.copyOf(steps);
    }
}
