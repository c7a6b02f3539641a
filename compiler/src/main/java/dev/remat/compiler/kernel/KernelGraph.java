package dev.remat.compiler.kernel;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.fusion.Layout;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.ValueMap;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A rematerialized graph as the kernels that will run, in order.
 *
 * @param moves of buffers beside the kernels, in the order of what they stand in front of
 * @param homes of inputs that live below the arena: the tier of each, by the index of its value
 */
public record KernelGraph(
        Graph graph,
        ValueMap<Layout> layouts,
        List<FusionGroup> kernels,
        List<BufferMove> moves,
        SortedMap<Integer, Integer> homes) {
    public KernelGraph {
        kernels = List.copyOf(kernels);
        moves = List.copyOf(moves);
        homes = Collections.unmodifiableSortedMap(new TreeMap<>(homes));
    }

    /** Of kernels whose buffers stay where they are. */
    public KernelGraph(Graph graph, ValueMap<Layout> layouts, List<FusionGroup> kernels) {
        this(graph, layouts, kernels, List.of(), Collections.emptySortedMap());
    }

    /** Whether an input lives below the arena. */
    public boolean livesBelow(ValueId input) {
        return homes.containsKey(input.index());
    }
}
