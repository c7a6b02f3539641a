package dev.remat.compiler.remat;

import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.NodeId;
import java.util.List;

/**
 * The training graph in exactly the planner's order, recomputations as clones.
 *
 * @param graph with retained marks and seed resets
 * @param steps nodes of each step of the sequence, without views, constants and seeds; none where it moves a value
 * @param moves of values between the steps
 */
public record RematerializedGraph(Graph graph, List<List<NodeId>> steps, List<Move> moves) {
    public RematerializedGraph {
        steps = List.copyOf(steps);
        moves = List.copyOf(moves);
    }
}
