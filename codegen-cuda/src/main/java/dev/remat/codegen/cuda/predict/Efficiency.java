package dev.remat.codegen.cuda.predict;

import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.op.DropoutGradient;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.RandomOp;

/** Shares of a long copy's rate that kernels reach by what they do with the bytes. */
final class Efficiency {
    private static final double STREAM = 0.88;
    /** Sums over rows, each waited for, or many words of random bits between loads and stores. */
    private static final double ROWS = 0.75;
    /** Many tensors of many lengths. */
    private static final double UPDATE = 0.78;

    private Efficiency() {}

    static double of(KernelEntry kernel, KernelBody body) {
        if (kernel.family().equals("optimizer")) {
            return UPDATE;
        }
        return KernelGroup.of(kernel) == KernelGroup.OTHERS
                        && body.instructions().stream().anyMatch(Efficiency::waits)
                ? ROWS
                : STREAM;
    }

    private static boolean waits(Instruction instruction) {
        return instruction.op() instanceof Normalize
                || instruction.op() instanceof NormStatistics
                || instruction.op() instanceof NormalizeGradient
                || instruction.op() instanceof RandomOp
                || instruction.op() instanceof DropoutGradient;
    }
}
