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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Times training steps of a plan on synthetic data: whole ones as graphs, then launch by launch for each family. */
final class MeasureSpeed {
    private static final int WARM_UP = 3;
    private static final double NANOS_PER_MILLI = 1e6;

    private MeasureSpeed() {}

    /**
     * What one step takes.
     *
     * @param millis median of whole steps, from start to end
     * @param predicted the same by the cost model, where it knows the GPU
     * @param byFamily milliseconds of the kernels that run in steps of these families, by their names
     */
    record Speed(double millis, Optional<Double> predicted, SortedMap<String, Double> byFamily) {}

    static Speed run(Artifact artifact, ArtifactCode code, int steps) throws IOException {
        ExecutionPlan plan = artifact.plan();
        try (CudaExecutable executable = code.load();
                SyntheticDataset data = new SyntheticDataset()) {
            new TrainingState(executable).initialize();
            InputFeed feed = new InputFeed(executable, data.training(InputFeed.specs(plan), plan.seed()));
            feed.feed(0, 1);
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
            return new Speed(
                    nanos[steps / 2] / NANOS_PER_MILLI,
                    code.predictedMillis(),
                    byFamily(executable, code, WARM_UP + steps + 1));
        }
    }

    /** Steps whose micro-batches all have the rows that are there. */
    private static Rounds alike(CudaExecutable executable) {
        return new Rounds(executable, (step, microBatch) -> {});
    }

    private static SortedMap<String, Double> byFamily(CudaExecutable executable, ArtifactCode code, int step) {
        List<Set<String>> families = code.familiesOfSteps();
        List<Long> nanos = new ArrayList<>();
        families.forEach(_ -> nanos.add(0L));
        executable.time((kernel, time) -> nanos.set(kernel, nanos.get(kernel) + time));
        alike(executable).run(step);
        SortedMap<String, Double> byFamily = new TreeMap<>();
        for (int i = 0; i < nanos.size(); i++) {
            byFamily.merge(String.join("+", families.get(i)), nanos.get(i) / NANOS_PER_MILLI, Double::sum);
        }
        return byFamily;
    }
}
