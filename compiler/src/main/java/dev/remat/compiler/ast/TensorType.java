package dev.remat.compiler.ast;

import java.util.List;

/** {@code f32[B, 3, 224, 224]}: dtype and dims of an input or parameter; no dims for a scalar. */
public record TensorType(Identifier dtype, List<Expression> dims) {
    public TensorType {
        dims = List.copyOf(dims);
    }
}
