package dev.remat.tests.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.checkpoint.Checkpoint;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What becomes of a run whose tensors wait on a disk, and of its checkpoint, if it cannot go on. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class DiskRunsTest {
    private static final String MANY = "1000000";
    private static final int DEVICE = 5;
    private static final int TERMINATED = 128 + 15;

    @TempDir
    Path scratch;

    private Path disk;
    private Path run;

    @BeforeEach
    void folders() throws IOException {
        disk = Files.createDirectory(scratch.resolve("disk"));
        run = scratch.resolve("run");
    }

    @Test
    void aRunIsEndedAndGoesOn() throws IOException, InterruptedException {
        TrainProcess process = TrainProcess.start(scratch, options("--steps", MANY, "--save", run.toString()));
        process.awaitSteps(2);
        assertThat(process.isAlive()).as(process.err()).isTrue();
        process.terminate();
        assertThat(process.exitCode()).isEqualTo(TERMINATED);
        assertThat(process.err()).contains("remat: interrupted after step ");
        assertThat(disk).isEmptyDirectory();
        String steps = String.valueOf(savedStep() + 2);
        TrainProcess resumed = TrainProcess.start(scratch, options("--steps", steps, "--resume", run.toString()));
        assertThat(resumed.exitCode()).as(resumed.err()).isZero();
        TrainProcess whole = TrainProcess.start(scratch, "--steps", steps);
        assertThat(whole.exitCode()).isZero();
        assertThat(resumed.stateHash()).isEqualTo(whole.stateHash());
    }

    @Test
    void aDiskThatIsFullIsToldBeforeTheFirstStep() throws IOException, InterruptedException {
        TrainProcess process = TrainProcess.startWithSmallFiles(4, scratch, options("--steps", "1"));
        assertThat(process.exitCode()).as(process.err()).isEqualTo(DEVICE);
        assertThat(process.err()).contains("remat: " + disk + " cannot be a place for tensors of ");
        assertThat(disk).isEmptyDirectory();
    }

    @Test
    void aFileThatIsTornAwayEndsTheRunWithItsCheckpointWhole() throws IOException, InterruptedException {
        TrainProcess process =
                TrainProcess.start(scratch, options("--steps", MANY, "--save", run.toString(), "--save-every", "1"));
        process.awaitSteps(3);
        assertThat(process.isAlive()).as(process.err()).isTrue();
        tearAway(process.pid());
        assertThat(process.exitCode()).as(process.err()).isEqualTo(DEVICE);
        assertThat(process.err())
                .containsPattern("remat: '[^']+' cannot be fetched from disk: the file has become shorter\n")
                .contains("goes on from");
        assertThat(savedStep()).isGreaterThanOrEqualTo(2);
        assertThat(disk).isEmptyDirectory();
    }

    /** Cuts the nameless file while it is in use, again and again until a transfer meets it. */
    private void tearAway(long pid) throws IOException, InterruptedException {
        Path file = opened(pid);
        for (int i = 0; i < 100_000 && Files.exists(file); i++) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(0);
            } catch (IOException gone) {
                return;
            }
            Thread.onSpinWait();
        }
    }

    private Path opened(long pid) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc", String.valueOf(pid), "fd"))) {
            return descriptors
                    .filter(descriptor -> target(descriptor).startsWith(disk + "/"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException gone) {
            return "";
        }
    }

    private long savedStep() throws IOException {
        try (Checkpoint checkpoint = Checkpoint.open(run)) {
            return checkpoint.meta().step();
        }
    }

    private String[] options(String... more) {
        return Stream.of(List.of(more), TrainProcess.offloading(disk))
                .flatMap(List::stream)
                .toArray(String[]::new);
    }
}
