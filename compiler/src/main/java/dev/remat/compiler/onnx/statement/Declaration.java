package dev.remat.compiler.onnx.statement;

import dev.remat.ir.TensorType;

/**
 * A parameter or buffer that the text declares.
 *
 * @param isTrained whether it is a parameter
 */
public record Declaration(String name, TensorType type, boolean isTrained) {
    /** As the text has it. */
    public String text() {
        String initial = type.rank() > 1 ? "normal(std = 0.02)" : "zeros";
        return isTrained ? "param " + name + ": " + type(type) + " = " + initial : "buffer " + name + ": " + type(type);
    }

    /** As an input or a parameter says it. */
    public static String type(TensorType type) {
        String dims = String.join(
                ", ", type.shape().dims().stream().map(Object::toString).toList());
        return type.dtype().label() + (dims.isEmpty() ? "" : "[" + dims + "]");
    }
}
