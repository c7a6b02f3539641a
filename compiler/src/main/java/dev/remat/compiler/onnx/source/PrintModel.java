package dev.remat.compiler.onnx.source;

import dev.remat.compiler.onnx.read.OnnxModel;
import dev.remat.compiler.onnx.statement.Body;
import dev.remat.compiler.onnx.statement.Declaration;
import dev.remat.compiler.onnx.statement.ModuleWeight;
import dev.remat.compiler.onnx.statement.Statement;
import dev.remat.compiler.onnx.statement.Symbols;
import dev.remat.compiler.onnx.statement.WrittenWeight;
import dev.remat.compiler.syntax.Formatter;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Source;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.stream.Collectors;

/** Prints statements as a model file. */
final class PrintModel {
    private final ImportRequest request;
    private final OnnxModel model;
    private final int nodes;

    PrintModel(ImportRequest request, OnnxModel model, int nodes) {
        this.request = request;
        this.model = model;
        this.nodes = nodes;
    }

    /** How many numbers are trained. */
    static long trained(Body body) {
        return body.weights().stream()
                .filter(body::isTrained)
                .mapToLong(PrintModel::elements)
                .sum();
    }

    private static long elements(WrittenWeight weight) {
        return weight.shape().stream().reduce(1L, Math::multiplyExact);
    }

    String run(
            Body body,
            SequencedMap<String, TensorType> inputs,
            List<String> outputs,
            Optional<AddLoss.Added> loss,
            SequencedMap<String, Integer> depths) {
        StringBuilder text = new StringBuilder("remat 1\n\n");
        text.append("// ").append(comment(body)).append("\n");
        text.append("model ").append(request.name());
        if (!depths.isEmpty()) {
            text.append(depths.entrySet().stream()
                    .map(depth -> depth.getKey() + ": int = " + depth.getValue())
                    .collect(Collectors.joining(", ", "(", ")")));
        }
        text.append(" {\n");
        SequencedSet<String> open = new LinkedHashSet<>();
        inputs.values().forEach(type -> type.shape().dims().forEach(dim -> open.addAll(Symbols.of(dim))));
        if (!open.isEmpty()) {
            text.append("symbol ").append(String.join(", ", open)).append("\n");
        }
        inputs.forEach((name, type) -> input(text, name, type));
        loss.ifPresent(added -> input(text, added.targets(), added.targetType()));
        body.declarations().values().forEach(each -> text.append(each.text()).append("\n"));
        text.append("\n");
        List<String> layers = new ArrayList<>();
        List<String> lines = ModuleWeight.declare(
                body.statements().stream().map(Statement::text).toList(), layers, body.names());
        layers.forEach(text::append);
        lines.forEach(line -> text.append(line).append("\n"));
        loss.ifPresent(added -> text.append(added.statement()).append("\n"));
        text.append("output ").append(String.join(", ", outputs)).append("\n}\n");
        loss.ifPresent(added ->
                text.append("\ntrain {\nminimize ").append(added.name()).append("\noptimizer adamw(lr = 5e-5)\n}\n"));
        return Formatter.format(new Source("model", text.toString()));
    }

    private static void input(StringBuilder text, String name, TensorType type) {
        text.append("input ")
                .append(name)
                .append(": ")
                .append(Declaration.type(type))
                .append("\n");
    }

    private String comment(Body body) {
        String from = model.producer().isEmpty() ? "" : model.producer() + ", ";
        return ("From " + request.origin() + ": " + from + "opset " + model.opset() + ", " + nodes + " nodes, "
                        + trained(body) + " parameters.")
                .replaceAll("[^\\x20-\\x7e]", "_");
    }
}
