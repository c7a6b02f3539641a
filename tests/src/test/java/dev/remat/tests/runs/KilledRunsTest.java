package dev.remat.tests.runs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Ends a run that saves every step, at random moments and in the middle of saves, and lets the next go on, with its
 * tensors in memory or waiting on a disk: nothing of the user's is lost, there is one checkpoint, which opens, and
 * nothing else is left; the bits are those of a run that was never ended. {@code -Dremat.kills=300} sets the number of
 * kills, which else is that of four seconds; {@code -Dremat.seed} repeats the moments.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class KilledRunsTest {
    private static final long NANOS = 4_000_000_000L;
    private static final int MOST_MILLIS = 400;
    /** Kills after which a run ends and the next begins: what was never killed has to take all its steps, too. */
    private static final int MOST_OF_A_RUN = 25;

    private static final List<Signal> SIGNALS = List.of(Signal.KILL, Signal.TERMINATE, Signal.INTERRUPT);
    private static final long SEED = Long.getLong("remat.seed", System.nanoTime());

    @TempDir
    Path scratch;

    private Path disk;

    @BeforeEach
    void makePlace() throws IOException {
        disk = Files.createDirectory(scratch.resolve("disk"));
    }

    @Test
    void nothingIsLost() throws IOException, InterruptedException {
        kill(NANOS, List.of());
    }

    @Test
    void nothingIsLostOfABatchInParts() throws IOException, InterruptedException {
        kill(NANOS / 2, List.of("--micro-batches", "2"));
    }

    /** @param options of all runs, those that are never killed too */
    private void kill(long nanos, List<String> options) throws IOException, InterruptedException {
        int kills = Integer.getInteger("remat.kills", 0) / 2;
        Random random = new Random(SEED);
        long deadline = System.nanoTime() + nanos;
        int killed = 0;
        int saving = 0;
        int runs = 0;
        while (kills > 0 ? killed < kills : killed == 0 || System.nanoTime() < deadline) {
            RunFiles files = RunFiles.in(scratch.resolve("run" + runs++));
            int until = killed + MOST_OF_A_RUN;
            long before = 0;
            // Until something was saved there is nothing to go on from.
            while (before == 0 || killed < until && (kills > 0 ? killed < kills : System.nanoTime() < deadline)) {
                // A third inside a save; all signals; in memory and on the disk in turns.
                boolean inside = killed / SIGNALS.size() % 3 == 0;
                Signal signal = SIGNALS.get(killed % SIGNALS.size());
                String when = "kill %d of seed %d, %s%s".formatted(killed, SEED, signal, inside ? " in a save" : "");
                TrainProcess process = train(files, "1000000", before > 0, killed % 2 == 1, options);
                process.awaitSteps(1);
                end(process, files, signal, inside, random.nextInt(MOST_MILLIS), when);
                killed++;
                saving += inside ? 1 : 0;
                long step = files.step();
                assertThat(step).as(when).isGreaterThanOrEqualTo(before);
                before = step;
            }
            compare(files, before + 2, options);
        }
        System.out.printf(
                "KilledRunsTest: %d kills, %d of them in saves, %d runs, seed %d%n", killed, saving, runs, SEED);
    }

    private void end(TrainProcess process, RunFiles files, Signal signal, boolean inside, int millis, String when)
            throws IOException, InterruptedException {
        Thread.sleep(millis);
        if (inside) {
            assertThat(process.stopInSave(files.folder()))
                    .as(when + ": " + process.err())
                    .isTrue();
        }
        assertThat(process.isAlive()).as(when + ": " + process.err()).isTrue();
        process.send(signal);
        process.send(Signal.CONTINUE);
        assertThat(process.exitCode()).as(when + ": " + process.err()).isEqualTo(signal.exitCode());
        files.assertNothingOfTheUsersIsLost(when);
        assertThat(disk).as(when).isEmptyDirectory();
        if (signal != Signal.KILL) {
            assertThat(process.err()).as(when).contains("remat: interrupted after step ");
            assertThat(files.leftovers()).as(when).isEmpty();
        }
    }

    /** Lets the run end, and holds it against one that was never killed. */
    private void compare(RunFiles files, long steps, List<String> options) throws IOException, InterruptedException {
        String when = "seed " + SEED;
        TrainProcess last = train(files, String.valueOf(steps), true, false, options);
        assertThat(last.exitCode()).as(last.err()).isZero();
        List<String> alone = new ArrayList<>(List.of("--steps", String.valueOf(steps)));
        alone.addAll(options);
        TrainProcess whole = TrainProcess.start(scratch, alone.toArray(String[]::new));
        assertThat(whole.exitCode()).as(whole.err()).isZero();
        assertThat(last.stateHash()).as(when).isEqualTo(whole.stateHash());
        assertThat(files.leftovers()).as(when).isEmpty();
        files.assertNothingOfTheUsersIsLost(when);
        assertThat(disk).as(when).isEmptyDirectory();
    }

    private TrainProcess train(RunFiles files, String steps, boolean resumes, boolean onDisk, List<String> options)
            throws IOException {
        String folder = files.folder().toString();
        List<String> words = new ArrayList<>(List.of("--steps", steps, "--save", folder, "--save-every", "1"));
        words.addAll(options);
        if (resumes) {
            words.addAll(List.of("--resume", folder));
        }
        if (onDisk) {
            words.addAll(TrainProcess.offloading(disk));
        }
        return TrainProcess.start(scratch, words.toArray(String[]::new));
    }
}
