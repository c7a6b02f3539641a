package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.StepBinding;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.NormalizeGradient;
import java.util.List;

/** Statistics and gradients of normalization. */
final class NormalizationKernels {
    private NormalizationKernels() {}

    static void statistics(NormStatistics op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static void gradient(NormalizeGradient op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static long statisticsWorkspaceBytes(NormStatistics op, TensorType x) {
        return 0;
    }

    static long gradientWorkspaceBytes(NormalizeGradient op, List<TensorType> operands) {
        return 0;
    }
}
