package dev.remat.compiler.onnx.graph;

import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.read.OnnxTensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Makes floating point constants initializers, in a graph that has none of these: Paddle writes its weights as nodes.
 */
public final class LiftConstants {
    private LiftConstants() {}

    /** Whether a tensor may be a weight: floating point, and more than one number. */
    public static boolean isWeight(OnnxTensor tensor) {
        return tensor.elements() > 1
                && tensor.type().dtype().filter(dtype -> dtype.isFloat()).isPresent();
    }

    public static PreparedGraph run(PreparedGraph graph) {
        if (graph.initializers().values().stream().anyMatch(LiftConstants::isWeight)) {
            return graph;
        }
        SequencedMap<String, OnnxTensor> initializers = new LinkedHashMap<>(graph.initializers());
        List<OnnxNode> nodes = new ArrayList<>();
        for (OnnxNode node : graph.nodes()) {
            Optional<OnnxTensor> weight = weight(node);
            weight.ifPresent(tensor -> initializers.put(tensor.name(), tensor));
            if (weight.isEmpty()) {
                nodes.add(node);
            }
        }
        return new PreparedGraph(nodes, initializers, graph.inputs(), graph.outputs());
    }

    private static boolean isBias(OnnxNode node) {
        return node.outputs().getFirst().endsWith(".bias");
    }

    /** The value of a constant that may be a weight, under the name of its result. */
    public static Optional<OnnxTensor> weight(OnnxNode node) {
        boolean isConstant = node.operator().equals("Constant")
                && node.domain().isEmpty()
                && node.outputs().size() == 1
                && node.attributes().containsKey("value");
        return isConstant
                ? node.attributes().get("value").tensors().stream()
                        .filter(tensor -> isWeight(tensor) || tensor.elements() == 1 && isBias(node))
                        .findFirst()
                        .map(tensor -> tensor.named(node.outputs().getFirst()))
                : Optional.empty();
    }
}
