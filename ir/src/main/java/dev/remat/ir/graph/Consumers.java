package dev.remat.ir.graph;

import dev.remat.ir.ValueId;
import java.util.ArrayList;
import java.util.List;

/** Readers of every value of a graph. */
final class Consumers {
    private Consumers() {}

    static ValueMap<List<NodeId>> of(Graph graph) {
        ValueMap<List<NodeId>> consumers = new ValueMap<>(graph.values().size());
        graph.values().forEach(value -> consumers.put(value.id(), new ArrayList<>(2)));
        for (Node node : graph.nodes()) {
            for (ValueId operand : node.operands()) {
                List<NodeId> readers = consumers.get(operand);
                if (readers.isEmpty() || !readers.getLast().equals(node.id())) {
                    readers.add(node.id());
                }
            }
        }
        return consumers;
    }
}
