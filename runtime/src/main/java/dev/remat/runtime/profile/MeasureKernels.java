package dev.remat.runtime.profile;

import dev.remat.runtime.TimedExecutable;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Rounds;
import dev.remat.runtime.train.TrainingState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Times every kernel of a plan where it runs in the step, between the others, so that caches are as warm as they will
 * be.
 */
public final class MeasureKernels {
    private MeasureKernels() {}

    /**
     * Runs training steps from initial parameters and times all but the first ones.
     *
     * @param executable whose timer and state are used up
     * @param warmUps steps that are not timed, for the just-in-time compiler
     * @param repeats steps that are timed, at least 1
     * @param progress is told the number of every step before it runs, from 1
     * @return for each step of the plan its times in nanoseconds
     */
    public static List<List<Long>> run(
            TimedExecutable executable, BatchSource batches, int warmUps, int repeats, IntConsumer progress) {
        List<List<Long>> nanos = new ArrayList<>();
        executable.plan().steps().forEach(step -> nanos.add(new ArrayList<>(repeats)));
        new TrainingState(executable).initialize();
        Rounds rounds = Rounds.of(executable, new InputFeed(executable, batches));
        for (int run = 1; run <= warmUps + repeats; run++) {
            if (run == warmUps + 1) {
                executable.time((step, time) -> nanos.get(step).add(time));
            }
            progress.accept(run);
            rounds.run(run);
        }
        return nanos;
    }
}
