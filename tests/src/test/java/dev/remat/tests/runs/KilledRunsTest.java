package dev.remat.tests.runs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Kills a run that saves every step at random moments and lets the next go on: nothing of the user's is lost, there is
 * one checkpoint, which opens, and the bits are those of a run that was never killed. {@code -Dremat.kills=100} sets
 * the number of kills, which else is that of eight seconds; {@code -Dremat.seed} repeats the moments.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class KilledRunsTest {
    private static final long NANOS = 8_000_000_000L;
    private static final int MOST_MILLIS = 400;

    @TempDir
    Path scratch;

    @Test
    void nothingIsLost() throws IOException, InterruptedException {
        kill(NANOS, List.of());
    }

    /** Nor is anything left of the file that tensors wait in. */
    @Test
    void nothingIsLostWhileTensorsWaitOnADisk() throws IOException, InterruptedException {
        Path disk = Files.createDirectory(scratch.resolve("disk"));
        kill(NANOS / 2, TrainProcess.offloading(disk));
        assertThat(disk).isEmptyDirectory();
    }

    /** @param more options of the runs that are killed */
    private void kill(long nanos, List<String> more) throws IOException, InterruptedException {
        long seed = Long.getLong("remat.seed", System.nanoTime());
        int kills = Integer.getInteger("remat.kills", Integer.MAX_VALUE);
        Random random = new Random(seed);
        Path run = scratch.resolve("run");
        RunFiles files = RunFiles.in(run);
        long deadline = System.nanoTime() + nanos;
        int killed = 0;
        long before = 0;
        // Until something was saved there is nothing to go on from.
        while (before == 0 || killed < kills && (kills < Integer.MAX_VALUE || System.nanoTime() < deadline)) {
            String when = "kill " + killed + " of seed " + seed;
            TrainProcess process = before == 0
                    ? start(more, "--steps", "1000000", "--save", run.toString(), "--save-every", "1")
                    : resume(run, "1000000", more);
            process.awaitSteps(1);
            Thread.sleep(random.nextInt(MOST_MILLIS));
            assertThat(process.isAlive()).as(when + ": " + process.err()).isTrue();
            process.kill();
            killed++;
            files.assertNothingOfTheUsersIsLost(when);
            long step = files.step();
            assertThat(step).as(when).isGreaterThanOrEqualTo(before);
            before = step;
        }
        System.out.println("KilledRunsTest: " + killed + " kills, " + before + " steps, seed " + seed);
        String steps = String.valueOf(before + 2);
        TrainProcess last = resume(run, steps, more);
        assertThat(last.exitCode()).as(last.err()).isZero();
        TrainProcess whole = TrainProcess.start(scratch, "--steps", steps);
        assertThat(whole.exitCode()).as(whole.err()).isZero();
        assertThat(last.stateHash()).as("seed " + seed).isEqualTo(whole.stateHash());
        assertThat(files.leftovers()).as("seed " + seed).isEmpty();
        files.assertNothingOfTheUsersIsLost("seed " + seed);
    }

    private TrainProcess start(List<String> more, String... options) throws IOException {
        return TrainProcess.start(
                scratch, Stream.concat(Stream.of(options), more.stream()).toArray(String[]::new));
    }

    private TrainProcess resume(Path run, String steps, List<String> more) throws IOException {
        String folder = run.toString();
        return start(more, "--steps", steps, "--save", folder, "--save-every", "1", "--resume", folder);
    }
}
