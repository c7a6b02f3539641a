package dev.remat.compiler.fusion;

import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.ValueMap;
import java.util.List;

/**
 * A training graph cut into fusion groups, in an order that computes every buffer before it is read and overwrites no
 * parameter before its last reader.
 */
public record FusedGraph(Graph graph, ValueMap<Layout> layouts, List<FusionGroup> groups) {
    public FusedGraph {
        groups = List.copyOf(groups);
    }
}
