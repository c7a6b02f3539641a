package dev.remat.compiler.kernel;

import dev.remat.compiler.unit.Layout;
import dev.remat.compiler.unit.Unit;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.ValueMap;
import java.util.List;

/** A rematerialized graph as the kernels that will run, in order. */
public record KernelGraph(Graph graph, ValueMap<Layout> layouts, List<Unit> kernels) {
    public KernelGraph {
        kernels = List.copyOf(kernels);
    }
}
