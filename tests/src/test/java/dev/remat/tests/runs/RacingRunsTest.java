package dev.remat.tests.runs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Starts two runs on one folder at about the same time: at most one writes at any time, the other is told who does or
 * that there is a checkpoint already, and what is left is one checkpoint with the bits of a run that was alone. {@code
 * -Dremat.races=50} sets the number of races, which else is that of four seconds; {@code -Dremat.seed} repeats the
 * delays.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class RacingRunsTest {
    private static final long NANOS = 4_000_000_000L;
    private static final int MOST_MILLIS = 150;
    private static final String STEPS = "12";

    @TempDir
    Path scratch;

    @Test
    void oneRunAFolder() throws IOException, InterruptedException {
        long seed = Long.getLong("remat.seed", System.nanoTime());
        int races = Integer.getInteger("remat.races", Integer.MAX_VALUE);
        Random random = new Random(seed);
        TrainProcess alone = start(scratch.resolve("alone"), false);
        assertThat(alone.exitCode()).as(alone.err()).isZero();
        long deadline = System.nanoTime() + NANOS;
        int raced = 0;
        int refused = 0;
        while (raced < races && (races < Integer.MAX_VALUE || System.nanoTime() < deadline)) {
            String when = "race " + raced + " of seed " + seed;
            RunFiles files = RunFiles.in(scratch.resolve("run" + raced));
            boolean resumes = random.nextBoolean();
            if (resumes) {
                TrainProcess begun = TrainProcess.start(
                        scratch, "--steps", "1", "--save", files.folder().toString());
                assertThat(begun.exitCode()).as(begun.err()).isZero();
            }
            TrainProcess first = start(files.folder(), resumes);
            Thread.sleep(random.nextInt(MOST_MILLIS));
            TrainProcess second = start(files.folder(), resumes);
            int ended = 0;
            for (TrainProcess process : List.of(first, second)) {
                int exitCode = process.exitCode();
                assertThat(exitCode).as(when + ": " + process.err()).isIn(0, 2);
                if (exitCode == 0) {
                    ended++;
                    assertThat(process.stateHash()).as(when).isEqualTo(alone.stateHash());
                } else {
                    refused++;
                    assertThat(process.err())
                            .as(when)
                            .containsAnyOf("another run saves here: remat train ", "holds the checkpoint of Tiny");
                }
            }
            assertThat(ended).as(when).isPositive();
            assertThat(files.step()).as(when).isEqualTo(Long.parseLong(STEPS));
            assertThat(files.leftovers()).as(when).isEmpty();
            files.assertNothingOfTheUsersIsLost(when);
            raced++;
        }
        assertThat(refused).isPositive();
        System.out.println("RacingRunsTest: " + raced + " races, " + refused + " runs refused, seed " + seed);
    }

    private TrainProcess start(Path folder, boolean resumes) throws IOException {
        String run = folder.toString();
        return resumes
                ? TrainProcess.start(scratch, "--steps", STEPS, "--save", run, "--save-every", "1", "--resume", run)
                : TrainProcess.start(scratch, "--steps", STEPS, "--save", run, "--save-every", "1");
    }
}
