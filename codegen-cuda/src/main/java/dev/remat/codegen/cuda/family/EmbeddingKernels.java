package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.StepBinding;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.EmbeddingGradient;
import java.util.List;

/** Rows of a table, and the sums of what each row got. */
final class EmbeddingKernels {
    private EmbeddingKernels() {}

    static void forward(StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static void gradient(EmbeddingGradient op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static long gradientWorkspaceBytes(EmbeddingGradient op, List<TensorType> operands) {
        return 0;
    }
}
