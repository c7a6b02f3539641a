package dev.remat.compiler.onnx.graph;

import dev.remat.compiler.onnx.read.ElementType;
import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.read.OnnxTensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Says of nodes that quantise of which type their results are, as newer versions of ONNX do: else it is that of the
 * zero point, and the numbers of that are integers like any others here.
 */
final class TypeQuantized {
    private static final String TYPE = "output_dtype";

    private TypeQuantized() {}

    static List<OnnxNode> run(List<OnnxNode> nodes, SequencedMap<String, OnnxTensor> initializers) {
        SequencedMap<String, ElementType> types = new LinkedHashMap<>();
        initializers.forEach((name, tensor) -> types.put(name, tensor.type()));
        for (OnnxNode node : nodes) {
            if (node.operator().equals("Constant") && node.attributes().containsKey("value")) {
                node.attributes()
                        .get("value")
                        .tensors()
                        .forEach(tensor -> node.outputs().forEach(output -> types.put(output, tensor.type())));
            }
        }
        return nodes.stream().map(node -> typed(node, types)).toList();
    }

    private static OnnxNode typed(OnnxNode node, SequencedMap<String, ElementType> types) {
        boolean isOpen = node.operator().equals("QuantizeLinear")
                && node.inputs().size() > 2
                && !node.attributes().containsKey(TYPE);
        ElementType type = isOpen ? types.get(node.inputs().get(2)) : null;
        if (type == null) {
            return node;
        }
        Map<String, OnnxAttribute> attributes = new LinkedHashMap<>(node.attributes());
        attributes.put(TYPE, OnnxAttribute.of(TYPE, type.number()));
        return new OnnxNode(
                node.name(),
                node.domain(),
                node.operator(),
                node.inputs(),
                node.outputs(),
                attributes,
                node.metadata());
    }
}
