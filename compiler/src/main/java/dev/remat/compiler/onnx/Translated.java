package dev.remat.compiler.onnx;

import dev.remat.compiler.onnx.HeldTensors.Held;
import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import java.util.List;
import java.util.function.Supplier;

/** A node while it becomes operators of ONNX. */
record Translated(Graph graph, Node node, OnnxGraph out, RuntimeExtents extents, HeldTensors tensors) {
    private String scope() {
        return tensors.module(node.results().getFirst());
    }

    /** Type of an operand. */
    TensorType type(int operand) {
        return graph.type(node.operands().get(operand));
    }

    /** Type of the first result. */
    TensorType resultType() {
        return graph.type(node.results().getFirst());
    }

    /** An operand with its own shape. */
    String operand(int index) {
        return tensors.whole(node.operands().get(index));
    }

    /** An operand, which may have to be repeated. */
    Held held(int index) {
        return tensors.held(node.operands().get(index));
    }

    /** What all operands that may have to be repeated give element by element. */
    Shape together() {
        return HeldTensors.together(node.operands().stream()
                .map(operand -> tensors.held(operand).shape())
                .toList());
    }

    void result(String name) {
        tensors.put(node.results().getFirst(), name);
    }

    void result(String name, Shape shape) {
        tensors.put(node.results().getFirst(), new Held(name, shape));
    }

    void resultLater(int index, Supplier<String> making) {
        tensors.putLater(node.results().get(index), making);
    }

    String apply(String type, String... operands) {
        return out.add(scope(), type, List.of(operands));
    }

    String apply(String type, List<String> operands, Attribute... attributes) {
        return out.add(scope(), type, operands, attributes);
    }

    List<String> applyAll(String type, List<String> operands, int results, Attribute... attributes) {
        return out.add(scope(), type, operands, results, attributes);
    }

    /** Reduces axes, which stay with extent 1. */
    String reduce(String type, String x, List<Integer> axes) {
        if (axes.isEmpty()) {
            return x;
        }
        Attribute keeps = Attribute.of("keepdims", 1);
        return out.opset().takesAxes() || type.equals("ReduceSum")
                ? apply(
                        type,
                        List.of(x, out.row(axes.stream().map(Integer::longValue).toList())),
                        keeps)
                : apply(type, List.of(x), Attribute.of("axes", axes), keeps);
    }

    String cast(String x, DType from, DType to) {
        return from == to ? x : apply("Cast", List.of(x), Attribute.of("to", OnnxTypes.number(to)));
    }

    String transpose(String x, List<Integer> permutation) {
        return apply("Transpose", List.of(x), Attribute.of("perm", permutation));
    }

    /** A number of an operand's dtype. */
    String number(int operand, double value) {
        return out.scalar(type(operand).dtype(), value);
    }

    String row(long... values) {
        return out.row(values);
    }
}
