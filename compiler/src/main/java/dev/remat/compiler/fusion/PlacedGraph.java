package dev.remat.compiler.fusion;

import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.NodeId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A graph in which operations write where their readers want it.
 *
 * @param groups for each operation and each of its carriers the last carrier, with which they form a group
 */
public record PlacedGraph(Graph graph, Map<NodeId, NodeId> groups) {
    public PlacedGraph {
        groups = Collections.unmodifiableMap(new LinkedHashMap<>(groups));
    }

    /** The last node of the group that {@code node} must be in; empty where grouping is open. */
    Optional<NodeId> group(NodeId node) {
        return Optional.ofNullable(groups.get(node));
    }
}
