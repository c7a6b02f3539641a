package dev.remat.ir.target;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Unary;
import dev.remat.ir.target.KernelSignature.Earlier;
import dev.remat.ir.target.KernelSignature.Memory;
import dev.remat.ir.target.KernelSignature.Operation;
import dev.remat.ir.target.KernelSignature.Result;
import java.util.List;

/** Kernels made by hand. */
final class Kernels {
    private Kernels() {}

    /** The exponential of a product of {@code rows} by 4 and 4 by 2. */
    static KernelSignature product(long rows) {
        TensorType result = TensorType.of(DType.F32, rows, 2);
        Memory x = new Memory(0, TensorType.of(DType.F32, rows, 4), List.of());
        Memory w = new Memory(1, TensorType.of(DType.F32, 4, 2), List.of(1L, 4L));
        return new KernelSignature(List.of(
                new Operation(new MatMul(false, false), List.of(x, w), List.of(new Result(result, false))),
                new Operation(
                        new Unary(Unary.Kind.EXP), List.of(new Earlier(0, 0)), List.of(new Result(result, true)))));
    }

    static KernelSignature negation(DType dtype, long elements) {
        TensorType type = TensorType.of(dtype, elements);
        return new KernelSignature(List.of(new Operation(
                new Unary(Unary.Kind.NEG), List.of(new Memory(0, type, List.of())), List.of(new Result(type, true)))));
    }
}
