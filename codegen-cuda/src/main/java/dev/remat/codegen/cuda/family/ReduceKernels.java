package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.StepBinding;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Reduce;

/** Sums, means and maxima over axes. */
final class ReduceKernels {
    private ReduceKernels() {}

    static void lower(Reduce op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static long workspaceBytes(Reduce op, TensorType operand) {
        return 0;
    }
}
