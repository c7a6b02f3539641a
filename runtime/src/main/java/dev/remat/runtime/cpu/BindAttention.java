package dev.remat.runtime.cpu;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionBiasGradient;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.runtime.cpu.attention.AttentionBiasGradientKernel;
import dev.remat.runtime.cpu.attention.AttentionGradientKernel;
import dev.remat.runtime.cpu.attention.AttentionKernel;
import dev.remat.runtime.cpu.attention.AttentionOperands;
import dev.remat.runtime.cpu.attention.AttentionShape;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.util.List;
import java.util.Optional;

/** The kernels of attention and of its gradients. */
final class BindAttention {
    private BindAttention() {}

    static long workspaceBytes(Attention op, List<TensorType> operands) {
        return AttentionKernel.workspaceBytes(Shapes.attention(op, operands), WorkerPool.MOST_THREADS);
    }

    static long workspaceBytes(AttentionGradient op, List<TensorType> operands) {
        return AttentionGradientKernel.workspaceBytes(shape(op, operands), WorkerPool.MOST_THREADS);
    }

    static long workspaceBytes(AttentionBiasGradient op, List<TensorType> operands) {
        int[] bias = Shapes.dims(operands.get(op.others().biasIndex()));
        return AttentionBiasGradientKernel.workspaceBytes(shape(op.others(), operands), bias, WorkerPool.MOST_THREADS);
    }

    private static AttentionShape shape(AttentionGradient op, List<TensorType> operands) {
        return Shapes.attention(op.forward(), operands.subList(1, 4));
    }

    static BoundKernelStep forward(Attention op, Binding in, long output) {
        AttentionShape shape = Shapes.attention(op, in.operandTypes());
        AttentionKernel kernel = new AttentionKernel(shape, operands(op, in, 0, op.maskIndex(), op.biasIndex()));
        long lse = in.hasResult(1) ? in.result(1) : Elements.NONE;
        long workspace = in.workspace(workspaceBytes(op, in.operandTypes()));
        return frame -> kernel.run(frame.pool(), frame.arena(), output, lse, workspace);
    }

    static BoundKernelStep gradient(AttentionGradient op, Binding in) {
        AttentionGradientKernel kernel =
                new AttentionGradientKernel(shape(op, in.operandTypes()), operands(op, in), in.view(0), in.view(4));
        long lse = in.dense(5);
        long dq = in.result(0);
        long dk = in.result(1);
        long dv = in.result(2);
        long workspace = in.workspace(workspaceBytes(op, in.operandTypes()));
        return frame -> kernel.run(frame.pool(), frame.arena(), lse, dq, dk, dv, workspace);
    }

    static BoundKernelStep biasGradient(AttentionBiasGradient op, Binding in, long output) {
        AttentionOperands operands = operands(op.others(), in);
        AttentionBiasGradientKernel kernel = new AttentionBiasGradientKernel(
                shape(op.others(), in.operandTypes()),
                operands,
                in.view(0),
                in.view(4),
                operands.bias().orElseThrow());
        long lse = in.dense(5);
        long workspace = in.workspace(workspaceBytes(op, in.operandTypes()));
        return frame -> kernel.run(frame.pool(), frame.arena(), lse, output, workspace);
    }

    private static AttentionOperands operands(AttentionGradient op, Binding in) {
        return operands(op.forward(), in, 1, op.maskIndex(), op.biasIndex());
    }

    private static AttentionOperands operands(Attention op, Binding in, int first, int mask, int bias) {
        return new AttentionOperands(
                in.view(first),
                in.view(first + 1),
                in.view(first + 2),
                view(in, op.masked(), mask),
                view(in, op.biased(), bias));
    }

    private static Optional<TensorView> view(Binding in, boolean present, int operand) {
        return present ? Optional.of(in.view(operand)) : Optional.empty();
    }
}
