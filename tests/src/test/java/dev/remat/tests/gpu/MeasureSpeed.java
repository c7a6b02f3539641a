package dev.remat.tests.gpu;

import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.cuda.CudaExecutable;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Rounds;
import dev.remat.runtime.train.TrainingState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Times training steps of a plan on synthetic data: whole ones as graphs, then kernel by kernel. */
final class MeasureSpeed {
    private static final int WARM_UP = 3;
    private static final double NANOS_PER_MILLI = 1e6;

    private MeasureSpeed() {}

    /**
     * What one step takes.
     *
     * @param millis median of whole steps, from start to end
     * @param predicted the same by the cost model, where it knows the GPU
     * @param kernels of one step
     * @param card what the card's sensors told right after the steps, if anything
     */
    record Speed(double millis, Optional<Double> predicted, List<KernelSpeed> kernels, Optional<Nvml.Reading> card) {}

    /** Times whole steps and the kernels of one. */
    static Speed run(Artifact artifact, ArtifactCode code, int steps, Optional<Nvml> sensors) throws IOException {
        ExecutionPlan plan = artifact.plan();
        try (CudaExecutable executable = code.load();
                SyntheticDataset data = new SyntheticDataset()) {
            double millis = median(executable, data, steps);
            Optional<Nvml.Reading> card = sensors.map(Nvml::read);
            List<Long> nanos = new ArrayList<>(Collections.nCopies(plan.steps().size(), 0L));
            executable.time((step, time) -> nanos.set(step, nanos.get(step) + time));
            alike(executable).run(WARM_UP + steps + 1);
            return new Speed(millis, code.predictedMillis(), KernelSpeed.of(code.runs(), nanos), card);
        }
    }

    /** Times whole steps alone. */
    static double median(ArtifactCode code, int steps) throws IOException {
        try (CudaExecutable executable = code.load();
                SyntheticDataset data = new SyntheticDataset()) {
            return median(executable, data, steps);
        }
    }

    private static double median(CudaExecutable executable, SyntheticDataset data, int steps) throws IOException {
        ExecutionPlan plan = executable.plan();
        new TrainingState(executable).initialize();
        new InputFeed(executable, data.training(InputFeed.specs(plan), plan.seed())).feed(0, 1);
        Rounds rounds = alike(executable);
        double[] nanos = new double[steps];
        for (int step = 1; step <= WARM_UP + steps; step++) {
            long start = System.nanoTime();
            rounds.run(step);
            if (step > WARM_UP) {
                nanos[step - WARM_UP - 1] = System.nanoTime() - start;
            }
        }
        Arrays.sort(nanos);
        return nanos[steps / 2] / NANOS_PER_MILLI;
    }

    /** Steps whose micro-batches all have the rows that are there. */
    private static Rounds alike(CudaExecutable executable) {
        return new Rounds(executable, (step, microBatch) -> {});
    }
}
