package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.StepBinding;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.AvgPool2dGradient;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.MaxPool2dGradient;

/** Pooling and its gradients. */
final class PoolingKernels {
    private PoolingKernels() {}

    static void max(MaxPool2d op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static void maxGradient(MaxPool2dGradient op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static void mean(AvgPool2d op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static void meanGradient(AvgPool2dGradient op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }
}
