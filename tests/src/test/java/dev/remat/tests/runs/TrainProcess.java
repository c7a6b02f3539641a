package dev.remat.tests.runs;

import dev.remat.tests.process.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A {@code remat train} of a small language model in a process of its own. */
final class TrainProcess {
    private static final int MOST_SECONDS = 120;
    private static final Pattern HASH = Pattern.compile("\"stateHash\":\"([0-9a-f]{64})\"");
    private static final String MODEL = """
        remat 1

        model Tiny(width: int = 48) {
          symbol B, T
          input tokens: i32[B, T]
          input targets: i32[B, T]

          x = embedding(tokens, 256, width) as table
          x = x + dropout(linear(layer_norm(x), width) as mix |> gelu, 0.25)
          loss = cross_entropy(linear(x, 256) as out, targets)
        }

        train {
          minimize loss
          optimizer adamw(lr = 1e-3)
          seed 3
        }
        """;

    private final Process process;
    private final Path out;
    private final Path err;

    private TrainProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /**
     * A run that Ctrl-C ends, whatever whoever started this process wants of that.
     *
     * @param scratch a folder for model, text and what the process prints
     */
    static TrainProcess start(Path scratch, String... more) throws IOException {
        return startIn(List.of("env", "--default-signal=INT"), scratch, more);
    }

    /** The same where no file grows beyond {@code kibibytes}, as on a disk that is full then. */
    static TrainProcess startWithSmallFiles(int kibibytes, Path scratch, String... more) throws IOException {
        return startIn(List.of("bash", "-c", "ulimit -f " + kibibytes + "; exec \"$@\"", "bash"), scratch, more);
    }

    private static TrainProcess startIn(List<String> shell, Path scratch, String... more) throws IOException {
        Path model = scratch.resolve("tiny.model");
        Path text = scratch.resolve("text.txt");
        if (!Files.exists(model)) {
            Files.writeString(text, "abcdefgh, ijklmnop. ".repeat(100));
            Files.writeString(model, MODEL);
        }
        Path out = Files.createTempFile(scratch, "out", ".txt");
        Path err = Files.createTempFile(scratch, "err", ".txt");
        List<String> command = new ArrayList<>(shell);
        command.addAll(JavaCommand.of("dev.remat.cli.Main", "-XX:-UsePerfData"));
        command.addAll(List.of("train", model.toString(), "--set", "B=2,T=8", "--text", text.toString(), "--json"));
        command.addAll(List.of(more));
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        return new TrainProcess(process, out, err);
    }

    /** Options of a run all of whose activations wait on a disk. */
    static List<String> offloading(Path disk) {
        return List.of(
                "--disk",
                disk.toString(),
                "--disk-budget",
                "1MiB",
                "--disk-rates",
                "1GB/s:1GB/s:10us",
                "--offload",
                "activations");
    }

    /** Waits until the process has printed this many steps or ended. */
    void awaitSteps(int count) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS);
        while (process.isAlive()
                && Files.readString(out).lines().limit(count).count() < count
                && System.nanoTime() < deadline) {
            Thread.sleep(5);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** As {@code kill -TERM} does. */
    void terminate() {
        process.destroy();
    }

    /** Sends a signal to the process if it lives. */
    void send(Signal signal) {
        if (process.isAlive()) {
            signal.send(process.pid());
        }
    }

    /**
     * Stops the process, until {@link Signal#CONTINUE}, while it saves: what is to take its place in the folder lies
     * there under another name. False if it has ended before.
     */
    boolean stopInSave(Path folder) throws IOException, InterruptedException {
        while (process.isAlive()) {
            if (RunFiles.holdsTemporaries(folder)) {
                send(Signal.STOP);
                // A signal takes its time.
                Thread.sleep(2);
                if (RunFiles.holdsTemporaries(folder)) {
                    return true;
                }
                send(Signal.CONTINUE);
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** As {@code kill -9} does. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    int exitCode() throws InterruptedException {
        if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
            kill();
            throw new AssertionError("a run took longer than " + MOST_SECONDS + " seconds");
        }
        return process.exitValue();
    }

    String err() throws IOException {
        return Files.readString(err);
    }

    /** The hash of the state with which the run ended. */
    String stateHash() throws IOException {
        Matcher matcher = HASH.matcher(Files.readString(out));
        if (!matcher.find()) {
            throw new AssertionError("the run did not end: " + err());
        }
        return matcher.group(1);
    }
}
