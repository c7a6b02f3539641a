package dev.remat.compiler.kernel;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.fusion.Layout;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.ValueMap;
import java.util.List;

/** A rematerialized graph as the kernels that will run, in order. */
public record KernelGraph(Graph graph, ValueMap<Layout> layouts, List<FusionGroup> kernels) {
    public KernelGraph {
        kernels = List.copyOf(kernels);
    }
}
