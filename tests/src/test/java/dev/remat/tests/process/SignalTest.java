package dev.remat.tests.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.checkpoint.Checkpoint;
import dev.remat.tests.process.RematProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Ctrl-C and kill end a process at once, whatever it is at, and leave nothing half written. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class SignalTest {
    private static final int INTERRUPTED = 128 + 2;
    private static final int TERMINATED = 128 + 15;
    private static final Duration MOST = Duration.ofSeconds(10);
    private static final Path GPT = Path.of("").toAbsolutePath().getParent().resolve("samples/gpt.model");
    /** Takes seconds in the constraint solver. */
    private static final List<String> LONG_SEARCH =
            List.of("--set", "B=8,T=64,depth=2", "--strategy", "interval-cp", "--budget", "75%");

    @TempDir
    Path folder;

    /** Of a process that whoever started this one may have told to ignore Ctrl-C. */
    private RematProcess remat() {
        return new RematProcess(folder).startedBy("env", "--default-signal=INT");
    }

    private static String[] words(String command, List<String> first, String... more) {
        return Stream.of(List.of(command, GPT.toString()), first, List.of(more))
                .flatMap(List::stream)
                .toArray(String[]::new);
    }

    private static boolean hasMapped(Process process, String library) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "maps"))
                    .contains(library);
        } catch (IOException e) {
            return false;
        }
    }

    private static void await(Process process, BooleanSupplier condition) throws InterruptedException {
        for (int i = 0; i < 1200 && process.isAlive() && !condition.getAsBoolean(); i++) {
            Thread.sleep(50);
        }
        assertThat(process.isAlive()).isTrue();
        // Let it go on from loading to its work.
        Thread.sleep(300);
    }

    private Result end(RematProcess remat, Process process, String signal) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .start()
                .waitFor();
        assertThat(process.waitFor(MOST.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return remat.await(process);
    }

    @Test
    void endsWhileConstraintsAreSolved() throws IOException, InterruptedException {
        RematProcess remat = remat();
        for (String signal : List.of("INT", "TERM")) {
            Process process = remat.start(words("plan", LONG_SEARCH));
            await(process, () -> hasMapped(process, "libjniortools.so"));
            assertThat(end(remat, process, signal).exitCode())
                    .isEqualTo(signal.equals("INT") ? INTERRUPTED : TERMINATED);
        }
        assertThat(folder.resolve("tmp")).isEmptyDirectory();
    }

    @Test
    void endsWhileKernelsAreCompiled() throws IOException, InterruptedException {
        RematProcess remat = remat();
        Path artifact = folder.resolve("artifacts/gpt");
        Files.createDirectory(artifact.getParent());
        Process process =
                remat.start(words("build", List.of("--set", "B=8,T=64"), "--arch", "sm_80", "-o", artifact.toString()));
        await(process, () -> hasMapped(process, "libnvrtc.so.13"));
        assertThat(end(remat, process, "INT").exitCode()).isEqualTo(INTERRUPTED);
        assertThat(artifact.getParent()).isEmptyDirectory();
    }

    /** The solver must not keep the signal: a training after it would end without what it was asked to save. */
    @Test
    void savesATrainingThatFollowsASearch() throws IOException, InterruptedException {
        RematProcess remat = remat();
        Path run = folder.resolve("run");
        Process process = remat.start(words(
                "train",
                LONG_SEARCH,
                "--data",
                "synthetic",
                "--steps",
                "1000000",
                "--save",
                run.toString(),
                "--save-every",
                "1"));
        await(process, () -> Files.exists(run.resolve("meta.json")) && hasMapped(process, "libjniortools.so"));
        Result result = end(remat, process, "INT");
        assertThat(result.exitCode()).as(result.err()).isEqualTo(INTERRUPTED);
        assertThat(result.err()).contains("remat: interrupted after step ");
        try (Checkpoint checkpoint = Checkpoint.open(run)) {
            assertThat(checkpoint.meta().step()).isPositive();
        }
    }
}
