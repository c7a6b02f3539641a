package dev.remat.runtime.cpu.conv;

import dev.remat.ir.DType;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.runtime.cpu.conv.ConvPrimitive.Pass;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * Chooses oneDNN for a convolution where it has a kernel, else our columns and a product.
 *
 * @param result dtype of what is computed
 */
public record ConvKernel(ConvShape shape, Pass pass, DType result, FindPrimitive primitives) {
    /** Computes the third tensor of a convolution from the other two; offsets are bytes. */
    @FunctionalInterface
    private interface Run {
        void run(WorkerPool pool, MemorySegment arena, long first, long second, long to, long workspace);
    }

    public static CpuKernel of(Conv2d op, OpTypes types, FindPrimitive primitives) {
        ConvShape shape = ConvShape.of(op.geometry(), types.operand(0), types.operand(1), types.result(0));
        return of(shape, Pass.OUTPUT, types, primitives);
    }

    public static CpuKernel of(ConvTranspose2d op, OpTypes types, FindPrimitive primitives) {
        ConvShape shape = ConvShape.of(op.geometry(), types.result(0), types.operand(1), types.operand(0));
        return of(shape, Pass.INPUT_GRADIENT, types, primitives);
    }

    public static CpuKernel of(Conv2dWeightGradient op, OpTypes types, FindPrimitive primitives) {
        ConvShape shape = ConvShape.of(op.geometry(), types.operand(0), types.result(0), types.operand(1));
        return of(shape, Pass.WEIGHT_GRADIENT, types, primitives);
    }

    private static CpuKernel of(ConvShape shape, Pass pass, OpTypes types, FindPrimitive primitives) {
        if (types.results().size() > 1) {
            throw new IllegalStateException("convolutions of the CPU give no moments");
        }
        ConvKernel kernel = new ConvKernel(shape, pass, types.result(0).dtype(), primitives);
        return new CpuKernel(kernel.workspaceBytes(WorkerPool.MOST_THREADS), in -> {
            Run chosen = kernel.choose();
            long first = in.dense(0);
            long second = in.dense(1);
            long to = in.output();
            long workspace = in.workspace();
            return frame -> chosen.run(frame.pool(), frame.arena(), first, second, to, workspace);
        });
    }

    private Run choose() {
        return primitives.find(shape, pass).map(this::blocked).orElseGet(this::columns);
    }

    private Run blocked(ConvPrimitive primitive) {
        BlockedConv conv = new BlockedConv(shape, primitive);
        return switch (pass) {
            case OUTPUT -> conv::run;
            case INPUT_GRADIENT -> conv::runTransposed;
            case WEIGHT_GRADIENT -> conv::runWeightGradient;
        };
    }

    private Run columns() {
        return switch (pass) {
            case OUTPUT -> new Conv(shape)::run;
            case INPUT_GRADIENT -> new Conv(shape)::runTransposed;
            case WEIGHT_GRADIENT -> new ConvWeightGradient(shape, result)::run;
        };
    }

    /** Enough for either way, so that a plan does not depend on what a machine's oneDNN offers. */
    public long workspaceBytes(int slots) {
        long columns = switch (pass) {
            case OUTPUT -> new Conv(shape).workspaceBytes(slots);
            case INPUT_GRADIENT -> new Conv(shape).transposedWorkspaceBytes(slots);
            case WEIGHT_GRADIENT -> new ConvWeightGradient(shape, shape.type()).workspaceBytes(slots);
        };
        return Math.max(columns, BlockedConv.workspaceBytes(shape, pass));
    }
}
