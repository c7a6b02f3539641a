package dev.remat.tests.onnx;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.DType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Value;
import dev.remat.ir.op.Constant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What outputs are computed from, line by line: the same for two graphs that compute the same of inputs and parameters
 * of the same names, in whatever order nodes stand and whatever values are called between.
 */
final class ForwardForm {
    private final Graph graph;
    private final Map<ValueId, String> inputs = new LinkedHashMap<>();
    private final Map<Node, Integer> numbers = new LinkedHashMap<>();
    private final Map<ValueId, Integer> parameters = new LinkedHashMap<>();
    private final List<String> lines = new ArrayList<>();

    private ForwardForm(Graph graph, boolean isNamed) {
        this.graph = graph;
        for (GraphInput input : graph.inputs()) {
            Value value = graph.value(input.value());
            inputs.put(value.id(), isNamed || !input.kind().isPersistent() ? value.name() : "parameter");
        }
    }

    /** @param given names of values that count as inputs */
    static String of(ElaboratedModel model, List<String> given) {
        return of(model, given, true);
    }

    /** The same without names of parameters, which are told apart by where they are read. */
    static String unnamed(ElaboratedModel model) {
        return of(model, List.of(), false);
    }

    private static String of(ElaboratedModel model, List<String> given, boolean isNamed) {
        ForwardForm form = new ForwardForm(model.forward(), isNamed);
        form.graph.values().stream()
                .filter(value -> given.contains(value.name()))
                .forEach(value -> form.inputs.put(value.id(), value.name()));
        Map<String, String> outputs = new TreeMap<>();
        form.graph.outputs().forEach(output -> outputs.put(output.name(), form.written(output.value())));
        outputs.forEach((name, value) -> form.lines.add(name + " = " + value));
        return String.join("\n", form.lines);
    }

    /** Numbers as their type holds them: a file of f32 has no more digits of √8. */
    private static String attributes(Node node) {
        return node.op() instanceof Constant constant && constant.type().dtype() == DType.F32
                ? "{value=" + (float) constant.value() + "}"
                : node.op().attributes().toString();
    }

    private String written(ValueId id) {
        Value value = graph.value(id);
        if (inputs.containsKey(id)) {
            String name = inputs.get(id);
            return (name.equals("parameter") ? name + parameters.computeIfAbsent(id, _ -> parameters.size()) : name)
                    + ": " + value.type();
        }
        Node node = graph.node(value.producer().orElseThrow());
        if (!numbers.containsKey(node)) {
            String operands = node.operands().stream().map(this::written).collect(Collectors.joining(", "));
            numbers.put(node, lines.size());
            lines.add(lines.size() + " = " + node.op().mnemonic() + " " + attributes(node) + "(" + operands + "): "
                    + graph.types(node.results()));
        }
        return numbers.get(node) + "." + node.results().indexOf(id);
    }
}
