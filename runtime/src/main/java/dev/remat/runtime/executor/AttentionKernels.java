package dev.remat.runtime.executor;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.runtime.cpu.AttentionGradientKernel;
import dev.remat.runtime.cpu.AttentionKernel;
import dev.remat.runtime.cpu.AttentionShape;
import dev.remat.runtime.cpu.TensorView;
import java.util.Optional;

/** Attention and its gradient; queries, keys and values are read through strides. */
final class AttentionKernels {
    private static final int MASK = 3;
    private static final int GRADIENT_MASK = 6;

    private AttentionKernels() {}

    static AttentionShape shape(double scale, boolean causal, TensorType q, TensorType k, TensorType v) {
        int[] queries = Extents.of(q.shape());
        return new AttentionShape(
                q.dtype(), queries[0], queries[1], queries[2], Extents.of(k.shape())[2], queries[3],
                Extents.of(v.shape())[3], scale, causal);
    }

    static Kernel forward(Attention op, AnchorOperands in) {
        AttentionShape shape = shape(op.scale(), op.causal(), in.type(0), in.type(1), in.type(2));
        Optional<TensorView> mask = op.masked() ? Optional.of(in.view(MASK)) : Optional.empty();
        AttentionKernel kernel = new AttentionKernel(shape, in.view(0), in.view(1), in.view(2), mask);
        return (pool, arena, draws) -> kernel.run(pool, arena, in.resultAt(0), in.resultAt(1), in.workspace());
    }

    static Kernel gradient(AttentionGradient op, AnchorOperands in) {
        AttentionShape shape = shape(op.scale(), op.causal(), in.type(1), in.type(2), in.type(3));
        Optional<TensorView> mask = op.masked() ? Optional.of(in.view(GRADIENT_MASK)) : Optional.empty();
        AttentionGradientKernel kernel = new AttentionGradientKernel(
                shape, in.view(0), in.view(1), in.view(2), in.view(3), in.view(4), mask);
        return (pool, arena, draws) -> kernel.run(
                pool, arena, in.at(5), in.resultAt(0), in.resultAt(1), in.resultAt(2), in.workspace());
    }
}
