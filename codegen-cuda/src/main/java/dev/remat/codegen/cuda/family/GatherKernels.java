package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.StepBinding;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.ScatterAdd;
import java.util.List;

/** Picks along an axis, and their gradient. */
final class GatherKernels {
    private GatherKernels() {}

    static void gather(Gather op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static void scatterAdd(ScatterAdd op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static long scatterAddWorkspaceBytes(ScatterAdd op, List<TensorType> operands) {
        return 0;
    }
}
