package dev.remat.compiler.remat;

import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.ValueMap;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The training graph in exactly the planner's order, recomputations as clones.
 *
 * @param graph with retained marks and seed resets
 * @param from what each value computes, of the graph before planning; nothing of seeds that are reset
 * @param steps nodes of each step of the sequence, without views, constants and seeds; none where it moves a value
 * @param moves of values between the steps
 * @param homes of inputs that live below the device: the tier of each, by the index of its value
 */
public record RematerializedGraph(
        Graph graph,
        ValueMap<ValueId> from,
        List<List<NodeId>> steps,
        List<Move> moves,
        SortedMap<Integer, Integer> homes) {
    public RematerializedGraph {
        steps = List.copyOf(steps);
        moves = List.copyOf(moves);
        homes = Collections.unmodifiableSortedMap(new TreeMap<>(homes));
    }
}
