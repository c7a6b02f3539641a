package dev.remat.ir.graph;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import java.util.List;

/**
 * Immutable dataflow graph in SSA form. The node list is a topological order; ids are dense, so that arrays serve as
 * maps. Nodes are not hash-consed: a clone may equal its original and still be another value.
 */
public record Graph(
        String name, List<GraphInput> inputs, List<Node> nodes, List<Value> values, List<GraphOutput> outputs) {
    public Graph {
        inputs = List.copyOf(inputs);
        nodes = List.copyOf(nodes);
        values = List.copyOf(values);
        outputs = List.copyOf(outputs);
    }

    public Node node(NodeId id) {
        return nodes.get(id.index());
    }

    public Value value(ValueId id) {
        return values.get(id.index());
    }

    public TensorType type(ValueId id) {
        return value(id).type();
    }

    public List<TensorType> types(List<ValueId> ids) {
        return ids.stream().map(this::type).toList();
    }

    /** Of a copy that was fetched, which has the definition of what was stored, that value; any other itself. */
    public Value stored(Value value) {
        return switch (value.definition()) {
            case Value.Result(NodeId node, int index) ->
                value(node(node).results().get(index));
            case Value.Input(int index) -> value(inputs.get(index).value());
        };
    }

    /** Where the model makes a value: the place of its node or input. */
    public Location location(ValueId id) {
        return switch (value(id).definition()) {
            case Value.Result result -> node(result.node()).origin().location();
            case Value.Input input -> inputs.get(input.index()).location();
        };
    }

    /**
     * The output called {@code name}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public ValueId output(String name) {
        return outputs.stream()
                .filter(o -> o.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("graph " + this.name + " has no output " + name))
                .value();
    }

    /** For each value the nodes that read it, in order and once each. */
    public ValueMap<List<NodeId>> consumers() {
        return Consumers.of(this);
    }
}
