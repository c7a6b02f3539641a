package dev.remat.codegen.cuda.family.elementwise;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.ElementwiseBody;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.move.TransposeKernels;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.Optional;

/** Steps of elementwise instructions alone: one pass over memory, a few neighbours a thread. */
public record ElementwiseKernel() implements CudaKernel {
    private static final int THREADS = 256;
    /** Groups of neighbours that a thread loads before it computes. */
    private static final int GROUPS = 2;
    /** Registers for what is loaded that leave room for two blocks on a multiprocessor. */
    private static final int MOST_LOADED = 96;
    /** Blocks for each multiprocessor, two of which it has at once. */
    private static final long BLOCKS = 8;

    private static final long MOST_ROUNDS = 32;
    /** Registers for what is loaded of rows, beside columns. */
    private static final int MOST_OF_ROWS = 48;

    @Override
    public boolean storesSeveral(List<TensorType> operands) {
        return true;
    }

    @Override
    public void lower(KernelStepBinding step) {
        if (TransposeKernels.lower(step)) {
            return;
        }
        ElementwiseBody body = ElementwiseBody.whole(step);
        int width = body.width();
        KernelCall call = new KernelCall("elementwise", "", "elementwise.cuh");
        Optional<Long> columns = body.columns();
        if (columns.isPresent()) {
            lowerByColumns(step, body.byColumns(), call, columns.get());
            return;
        }
        int groups = body.isRandom() || GROUPS * body.loadedRegisters() > MOST_LOADED ? 1 : GROUPS;
        String fused = body.declare(call);
        String n = body.isNarrow() ? call.u32(body.elements()) : call.u64(body.elements());
        call.body("elementwise<" + width + ", " + groups + ">(" + fused + ", " + n + ");");
        long perBlock = (long) THREADS * groups * width;
        call.threads(THREADS).grid((body.elements() + perBlock - 1) / perBlock);
        step.launch(call);
    }

    /** Each thread has as many groups as keep all multiprocessors busy to the end, and one row's groups at least. */
    private static void lowerByColumns(KernelStepBinding step, ElementwiseBody body, KernelCall call, long columns) {
        int width = body.width();
        int groups = body.isRandom() ? 1 : Math.clamp(MOST_OF_ROWS / Math.max(1, body.loadedRegisters()), 1, 4);
        String fused = body.declare(call);
        long all = body.elements() / width;
        long rounds = Math.clamp(all / THREADS / (step.architecture().multiprocessors() * BLOCKS), 1, MOST_ROUNDS);
        String n = body.isNarrow() ? call.u32(all) : call.u64(all);
        String packs = body.isNarrow() ? call.u32(columns / width) : call.u64(columns / width);
        call.body("elementwise_by_columns<" + width + ", " + groups + ">(" + fused + ", " + n + ", " + packs + ");");
        call.threads(THREADS).grid(Math.ceilDiv(Math.max(all / rounds, columns / width), THREADS));
        step.launch(call);
    }
}
