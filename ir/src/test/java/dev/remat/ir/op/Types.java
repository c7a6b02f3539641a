package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.Arrays;
import java.util.List;

/** Short ways to write types in tests; an extent is a number or the text of a dimension. */
final class Types {
    private Types() {}

    static TensorType f32(Object... dims) {
        return of(DType.F32, dims);
    }

    static TensorType bf16(Object... dims) {
        return of(DType.BF16, dims);
    }

    static TensorType i64(Object... dims) {
        return of(DType.I64, dims);
    }

    static TensorType bool(Object... dims) {
        return of(DType.BOOL, dims);
    }

    static TensorType of(DType dtype, Object... dims) {
        return new TensorType(dtype, shape(dims));
    }

    static Shape shape(Object... dims) {
        return new Shape(dims(dims));
    }

    static List<Dim> dims(Object... dims) {
        return Arrays.stream(dims).map(dim -> Dim.parse(dim.toString())).toList();
    }

    /** The only result. */
    static TensorType infer(Op op, TensorType... operands) {
        List<TensorType> results = op.infer(List.of(operands));
        if (results.size() != 1) {
            throw new AssertionError(op.mnemonic() + " has results " + results);
        }
        return results.getFirst();
    }

    static long flops(Op op, TensorType... operands) {
        return op.flops(List.of(operands), op.infer(List.of(operands)));
    }
}
