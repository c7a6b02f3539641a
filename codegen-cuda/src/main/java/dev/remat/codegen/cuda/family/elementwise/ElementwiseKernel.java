package dev.remat.codegen.cuda.family.elementwise;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.ElementwiseBody;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.move.TransposeKernels;
import dev.remat.ir.TensorType;
import java.util.List;

/** Steps of elementwise instructions alone: one pass over memory, a few neighbours a thread. */
public record ElementwiseKernel() implements CudaKernel {
    private static final int THREADS = 256;
    /** Groups of neighbours that a thread loads before it computes. */
    private static final int GROUPS = 2;
    /** Registers for what is loaded that leave room for two blocks on a multiprocessor. */
    private static final int MOST_LOADED = 96;

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
        int groups = body.isRandom() || GROUPS * body.loadedRegisters() > MOST_LOADED ? 1 : GROUPS;
        KernelCall call = new KernelCall("elementwise", "", "elementwise.cuh");
        String fused = body.declare(call);
        String n = body.isNarrow() ? call.u32(body.elements()) : call.u64(body.elements());
        call.body("elementwise<" + width + ", " + groups + ">(" + fused + ", " + n + ");");
        long perBlock = (long) THREADS * groups * width;
        call.threads(THREADS).grid((body.elements() + perBlock - 1) / perBlock);
        step.launch(call);
    }
}
