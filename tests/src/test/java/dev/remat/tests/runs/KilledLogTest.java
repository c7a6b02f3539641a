package dev.remat.tests.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.tests.log.EventRecords;
import dev.remat.tests.log.LogTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Logs of runs that end in the middle: {@code -Dremat.seed} repeats the moments of kills. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class KilledLogTest {
    private static final int KILLS = 2;
    private static final int MOST_MILLIS = 400;
    private static final String MANY = "1000000";

    @TempDir
    Path scratch;

    /** Between two checkpoints a run logs more than it saves, and the next run takes these steps once more. */
    @Test
    void recordsAreWholeAndNoStepIsThereTwice() throws IOException, InterruptedException {
        long seed = Long.getLong("remat.seed", System.nanoTime());
        Random random = new Random(seed);
        RunFiles run = RunFiles.in(scratch.resolve("run"));
        Path log = scratch.resolve("log");
        for (int kill = 0; kill < KILLS; kill++) {
            TrainProcess process = train(log, run, MANY, kill > 0);
            // One that is printed may not be logged yet, and the first that is logged replaces later ones.
            process.awaitSteps(2);
            while (process.isAlive() && run.step() == 0) {
                Thread.sleep(5);
            }
            Thread.sleep(random.nextInt(MOST_MILLIS));
            assertThat(process.isAlive()).as(process.err()).isTrue();
            process.kill();
            assertWhole(log, "kill " + kill + " of seed " + seed);
        }
        long last = LogTable.read(log).steps().getLast();
        assertThat(last).isGreaterThanOrEqualTo(run.step());
        String steps = String.valueOf(run.step() + 2);
        TrainProcess end = train(log, run, steps, true);
        assertThat(end.exitCode()).as(end.err()).isZero();
        assertThat(LogTable.read(log).steps()).last().isEqualTo(run.step());
        assertWhole(log, "seed " + seed);

        Path unbroken = scratch.resolve("unbroken");
        TrainProcess whole = TrainProcess.start(scratch, "--steps", steps, "--log", unbroken.toString());
        assertThat(whole.exitCode()).as(whole.err()).isZero();
        assertThat(LogTable.read(log).column("loss"))
                .as("seed " + seed)
                .isEqualTo(LogTable.read(unbroken).column("loss"));
        assertThat(EventRecords.shown(log).get("loss"))
                .isEqualTo(EventRecords.shown(unbroken).get("loss"));
    }

    private TrainProcess train(Path log, RunFiles run, String steps, boolean resumes) throws IOException {
        String folder = run.folder().toString();
        String[] begins = {"--steps", steps, "--log", log.toString(), "--save", folder, "--save-every", "7"};
        List<String> args = new ArrayList<>(List.of(begins));
        if (resumes) {
            args.addAll(List.of("--resume", folder));
        }
        return TrainProcess.start(scratch, args.toArray(String[]::new));
    }

    /** Both tell every step, but for the last one, which may have come to the table alone. */
    private static void assertWhole(Path log, String when) throws IOException {
        List<Long> steps = LogTable.read(log).steps();
        assertThat(steps)
                .as(when)
                .isEqualTo(LongStream.rangeClosed(1, steps.size()).boxed().toList());
        assertThat(steps.size() - EventRecords.shown(log).get("loss").size())
                .as(when)
                .isBetween(0, 1);
    }

    @Test
    void aFullDiskEndsTheRunAndLeavesWholeRecords() throws IOException, InterruptedException {
        Path log = scratch.resolve("log");
        // Unpacks libraries, which takes larger files.
        TrainProcess before = TrainProcess.start(scratch, "--steps", "1");
        assertThat(before.exitCode()).as(before.err()).isZero();
        TrainProcess full = TrainProcess.startWithSmallFiles(64, scratch, "--steps", MANY, "--log", log.toString());
        assertThat(full.exitCode()).isEqualTo(1);
        assertThat(full.err())
                .contains(
                        "reading or writing failed: " + EventRecords.files(log).getFirst())
                .doesNotContain("\tat ");
        assertThat(EventRecords.shown(log).get("loss")).hasSizeGreaterThan(100);
        assertWhole(log, "on a full disk");
    }
}
