package dev.remat.compiler.section;

import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes one graph of those of sections: inputs of one name are one value. Values and nodes of the body, which has the
 * inputs of all, keep their numbers; those of other sections follow. A name that an earlier one has is numbered.
 */
final class JoinGraphs {
    /**
     * What a section's values and nodes are in the graph of all.
     *
     * @param values by their own number
     * @param firstNode number of its first node there
     */
    record Renumbering(List<ValueId> values, int firstNode) {
        ValueId value(ValueId own) {
            return values.get(own.index());
        }

        List<ValueId> values(List<ValueId> own) {
            return own.stream().map(this::value).toList();
        }

        NodeId node(NodeId own) {
            return new NodeId(firstNode + own.index());
        }
    }

    private final Graph body;
    private final List<Node> nodes;
    private final List<Value> values;
    private final List<GraphOutput> outputs;
    private final Map<String, ValueId> inputs = new LinkedHashMap<>();
    private final Set<String> names = new LinkedHashSet<>();

    JoinGraphs(Graph body) {
        this.body = body;
        this.nodes = new ArrayList<>(body.nodes());
        this.values = new ArrayList<>(body.values());
        this.outputs = new ArrayList<>(body.outputs());
        body.inputs().forEach(input -> inputs.put(body.value(input.value()).name(), input.value()));
        body.values().forEach(value -> names.add(value.name()));
    }

    /** Of the body itself. */
    Renumbering unchanged() {
        return new Renumbering(body.values().stream().map(Value::id).toList(), 0);
    }

    Renumbering add(Graph section) {
        List<ValueId> renamed = new ArrayList<>();
        Renumbering numbers = new Renumbering(renamed, nodes.size());
        for (Value value : section.values()) {
            renamed.add(
                    switch (value.definition()) {
                        case Value.Input(int index) -> input(section, index, value);
                        case Value.Result(NodeId node, int index) ->
                            define(value, new Value.Result(numbers.node(node), index));
                    });
        }
        for (Node node : section.nodes()) {
            nodes.add(new Node(
                    numbers.node(node.id()),
                    node.op(),
                    numbers.values(node.operands()),
                    numbers.values(node.results()),
                    node.role(),
                    node.origin(),
                    node.clonedFrom().map(numbers::node)));
        }
        for (GraphOutput output : section.outputs()) {
            outputs.add(new GraphOutput(output.name(), numbers.value(output.value())));
        }
        return numbers;
    }

    /** An input, or a buffer that it is fetched to. */
    private ValueId input(Graph section, int index, Value value) {
        ValueId input = section.inputs().get(index).value();
        ValueId here = inputs.get(section.value(input).name());
        return value.id().equals(input)
                ? here
                : define(value, values.get(here.index()).definition());
    }

    private ValueId define(Value value, Value.Definition definition) {
        ValueId id = new ValueId(values.size());
        values.add(new Value(
                id, unique(value.name()), value.type(), definition, value.pin(), value.retained(), value.mark()));
        return id;
    }

    private String unique(String wish) {
        String name = wish;
        for (int number = 2; !names.add(name); number++) {
            name = wish + "." + number;
        }
        return name;
    }

    Graph graph() {
        return new Graph(body.name(), body.inputs(), nodes, values, outputs);
    }
}
