package dev.remat.compiler.unit;

import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.ValueMap;
import java.util.List;

/**
 * A training graph cut into units, in an order that computes every buffer before it is read and overwrites no
 * parameter before its last reader.
 */
public record UnitGraph(Graph graph, ValueMap<Layout> layouts, List<Unit> units) {
    public UnitGraph {
        units = List.copyOf(units);
    }
}
