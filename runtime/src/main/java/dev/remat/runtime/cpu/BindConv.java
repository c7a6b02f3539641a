package dev.remat.runtime.cpu;

import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.runtime.cpu.conv.BlockedConv;
import dev.remat.runtime.cpu.conv.Conv;
import dev.remat.runtime.cpu.conv.ConvPrimitive;
import dev.remat.runtime.cpu.conv.ConvPrimitive.Pass;
import dev.remat.runtime.cpu.conv.ConvPrimitives;
import dev.remat.runtime.cpu.conv.ConvShape;
import dev.remat.runtime.cpu.conv.ConvWeightGradient;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.util.Optional;

/** Chooses oneDNN for a convolution where it has a kernel, else our columns over OpenBLAS. */
final class BindConv {
    private BindConv() {}

    static BoundKernelStep forward(Conv2d op, Binding in, long y, ConvPrimitives convolutions) {
        if (op.moments()) {
            throw new IllegalStateException("convolutions of the CPU give no moments");
        }
        ConvShape shape = Shapes.conv(op.geometry(), in.operandType(0), in.operandType(1), in.resultType(0));
        long x = in.dense(0);
        long weights = in.dense(1);
        long workspace = in.workspace(workspaceBytes(shape, Pass.OUTPUT, WorkerPool.MOST_THREADS));
        Optional<ConvPrimitive> primitive = convolutions.find(shape, Pass.OUTPUT);
        if (primitive.isPresent()) {
            BlockedConv conv = new BlockedConv(shape, primitive.get());
            return frame -> conv.run(frame.pool(), frame.arena(), x, weights, y, workspace);
        }
        Conv conv = new Conv(shape);
        return frame -> conv.run(frame.pool(), frame.arena(), x, weights, y, workspace);
    }

    static BoundKernelStep transposed(ConvTranspose2d op, Binding in, long x, ConvPrimitives convolutions) {
        ConvShape shape = Shapes.conv(op.geometry(), in.resultType(0), in.operandType(1), in.operandType(0));
        long y = in.dense(0);
        long weights = in.dense(1);
        long workspace = in.workspace(workspaceBytes(shape, Pass.INPUT_GRADIENT, WorkerPool.MOST_THREADS));
        Optional<ConvPrimitive> primitive = convolutions.find(shape, Pass.INPUT_GRADIENT);
        if (primitive.isPresent()) {
            BlockedConv conv = new BlockedConv(shape, primitive.get());
            return frame -> conv.runTransposed(frame.pool(), frame.arena(), y, weights, x, workspace);
        }
        Conv conv = new Conv(shape);
        return frame -> conv.runTransposed(frame.pool(), frame.arena(), y, weights, x, workspace);
    }

    static BoundKernelStep weightGradient(
            Conv2dWeightGradient op, Binding in, long dweights, ConvPrimitives convolutions) {
        ConvShape shape = Shapes.conv(op.geometry(), in.operandType(0), in.resultType(0), in.operandType(1));
        long x = in.dense(0);
        long dy = in.dense(1);
        long workspace = in.workspace(workspaceBytes(shape, Pass.WEIGHT_GRADIENT, WorkerPool.MOST_THREADS));
        Optional<ConvPrimitive> primitive = convolutions.find(shape, Pass.WEIGHT_GRADIENT);
        if (primitive.isPresent()) {
            BlockedConv conv = new BlockedConv(shape, primitive.get());
            return frame -> conv.runWeightGradient(frame.pool(), frame.arena(), x, dy, dweights, workspace);
        }
        ConvWeightGradient conv = new ConvWeightGradient(shape, in.resultType(0).dtype());
        return frame -> conv.run(frame.pool(), frame.arena(), x, dy, dweights, workspace);
    }

    /** Enough for either way, so that a plan does not depend on what a machine's oneDNN offers. */
    static long workspaceBytes(ConvShape shape, Pass pass, int slots) {
        long columns = switch (pass) {
            case OUTPUT -> new Conv(shape).workspaceBytes(slots);
            case INPUT_GRADIENT -> new Conv(shape).transposedWorkspaceBytes(slots);
            case WEIGHT_GRADIENT -> new ConvWeightGradient(shape, shape.type()).workspaceBytes(slots);
        };
        return Math.max(columns, BlockedConv.workspaceBytes(shape, pass));
    }
}
