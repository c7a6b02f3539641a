package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.StepBinding;
import dev.remat.ir.op.AdamUpdate;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.SgdUpdate;

/** What changes parameters and statistics once a step. */
final class UpdateKernels {
    private UpdateKernels() {}

    static void sgd(SgdUpdate op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static void adam(AdamUpdate op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static void runningStatistics(RunningStatistics op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static void learningRate(LearningRate op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }
}
