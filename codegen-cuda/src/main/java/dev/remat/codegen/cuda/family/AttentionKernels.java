package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.StepBinding;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import java.util.List;

/** Attention without its matrix of scores. */
final class AttentionKernels {
    private AttentionKernels() {}

    static void forward(Attention op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static void gradient(AttentionGradient op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static long gradientWorkspaceBytes(AttentionGradient op, List<TensorType> operands) {
        return 0;
    }
}
