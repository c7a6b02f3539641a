package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.Architecture;
import dev.remat.codegen.cuda.emit.StepBinding;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.MatMul;

/** Matrix products. */
final class MatMulKernels {
    private MatMulKernels() {}

    static void lower(MatMul op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static long workspaceBytes(Architecture architecture, MatMul op, TensorType a, TensorType b, TensorType result) {
        return 0;
    }
}
