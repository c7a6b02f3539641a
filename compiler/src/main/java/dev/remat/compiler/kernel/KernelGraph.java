package dev.remat.compiler.kernel;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.fusion.Layout;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.ValueMap;
import java.util.List;

/**
 * A rematerialized graph as the kernels that will run, in order.
 *
 * @param moves of buffers beside the kernels, in the order of what they stand in front of
 */
public record KernelGraph(Graph graph, ValueMap<Layout> layouts, List<FusionGroup> kernels, List<BufferMove> moves) {
    public KernelGraph {
        kernels = List.copyOf(kernels);
        moves = List.copyOf(moves);
    }

    /** Of kernels whose buffers stay where they are. */
    public KernelGraph(Graph graph, ValueMap<Layout> layouts, List<FusionGroup> kernels) {
        this(graph, layouts, kernels, List.of());
    }
}
