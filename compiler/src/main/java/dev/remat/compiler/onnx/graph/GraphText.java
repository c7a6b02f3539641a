package dev.remat.compiler.onnx.graph;

import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.read.OnnxTensor;
import dev.remat.compiler.onnx.read.ValueInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A graph of ONNX as a text to look at: one line for each input, weight, node and output, without any numbers. */
public final class GraphText {
    private GraphText() {}

    public static String of(PreparedGraph graph) {
        StringBuilder text = new StringBuilder();
        graph.inputs()
                .forEach(input -> text.append("input ").append(type(input)).append('\n'));
        graph.initializers()
                .forEach((name, tensor) -> text.append("weight ")
                        .append(quoted(name))
                        .append(type(tensor))
                        .append('\n'));
        graph.nodes().forEach(node -> text.append(line(node)).append('\n'));
        graph.outputs()
                .forEach(output -> text.append("output ").append(quoted(output)).append('\n'));
        return text.toString();
    }

    private static String type(ValueInfo input) {
        String type = input.type().map(Object::toString).orElse("?");
        String shape = input.shape()
                .map(extents -> extents.stream()
                        .map(extent -> extent.value().map(Object::toString).orElse(quoted(extent.name())))
                        .collect(Collectors.joining(", ", "[", "]")))
                .orElse("");
        return quoted(input.name()) + ": " + type + shape;
    }

    private static String type(OnnxTensor tensor) {
        return ": " + tensor.type() + tensor.shape();
    }

    private static String line(OnnxNode node) {
        String attributes = node.attributes().values().stream()
                .map(attribute -> attribute.name() + "=" + value(attribute))
                .sorted()
                .collect(Collectors.joining(", ", " {", "}"));
        String domain = node.domain().isEmpty() ? "" : node.domain() + "::";
        return names(node.outputs()) + " = " + domain + node.operator() + "(" + names(node.inputs()) + ")"
                + (node.attributes().isEmpty() ? "" : attributes)
                + (node.name().isEmpty() ? "" : " at " + quoted(node.name()));
    }

    private static String names(List<String> names) {
        return names.stream().map(GraphText::quoted).collect(Collectors.joining(", "));
    }

    private static String value(OnnxAttribute attribute) {
        List<Object> values = new ArrayList<>();
        values.addAll(attribute.integers());
        values.addAll(attribute.reals());
        attribute.texts().forEach(text -> values.add(quoted(text)));
        attribute.tensors().forEach(tensor -> values.add("tensor" + type(tensor)));
        attribute
                .graphs()
                .forEach(graph -> values.add("graph of " + graph.nodes().size() + " nodes"));
        return values.size() == 1 ? values.getFirst().toString() : values.toString();
    }

    /** A line of the text is one line, whatever names there are. */
    private static String quoted(String name) {
        return '"' + name.replaceAll("[\\p{Cntrl}\"\\\\]", "_") + '"';
    }
}
