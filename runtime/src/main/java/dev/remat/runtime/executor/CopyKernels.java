package dev.remat.runtime.executor;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Pad;
import dev.remat.runtime.cpu.Eltwise;
import dev.remat.runtime.cpu.EltwiseProgram;
import java.util.ArrayList;
import java.util.List;

/** Operations that put tensors into a part of a larger one. */
final class CopyKernels {
    private CopyKernels() {}

    static Kernel concat(Concat op, AnchorOperands in) {
        TensorType result = in.resultType(0);
        long[] strides = Eltwise.denseStrides(Extents.of(result.shape()));
        List<Kernel> parts = new ArrayList<>();
        long first = 0;
        for (int k = 0; k < in.count(); k++) {
            parts.add(copy(in, k, strides, first));
            first += in.dims(k)[op.axis()] * strides[op.axis()];
        }
        return (pool, arena, draws) -> parts.forEach(part -> part.run(pool, arena, draws));
    }

    static Kernel pad(Pad op, AnchorOperands in) {
        TensorType result = in.resultType(0);
        int[] dims = Extents.of(result.shape());
        long[] strides = Eltwise.denseStrides(dims);
        long first = 0;
        for (int axis = 0; axis < result.rank(); axis++) {
            first += op.low().get(axis).value() * strides[axis];
        }
        EltwiseProgram.Builder builder = new EltwiseProgram.Builder();
        int filler = builder.constant(result.dtype(), op.value());
        Eltwise fill = Eltwise.dense(builder.build(filler), dims);
        Kernel inner = copy(in, 0, strides, first);
        return (pool, arena, draws) -> {
            fill.run(pool, arena, new long[0], new long[] {in.resultAt(0)});
            inner.run(pool, arena, draws);
        };
    }

    /** Copies operand {@code k} into the result from element {@code first} on. */
    private static Kernel copy(AnchorOperands in, int k, long[] resultStrides, long first) {
        DType type = in.type(k).dtype();
        int[] box = in.dims(k);
        Eltwise copy = new Eltwise(
                EltwiseProgram.copy(type), box, List.of(Eltwise.denseStrides(box)), List.of(resultStrides));
        long[] inputs = {in.at(k)};
        long[] outputs = {in.resultAt(0) + first * type.bytes()};
        return (pool, arena, draws) -> copy.run(pool, arena, inputs, outputs);
    }
}
