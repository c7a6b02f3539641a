package dev.remat.compiler.stage;

import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.io.LinkTarget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The one place that looks at the clock: runs each stage, keeps its seconds, verifies and dumps what it made. */
public final class StageRunner {
    private final Optional<Path> dumpDir;
    private final SequencedMap<String, Double> seconds = new LinkedHashMap<>();
    /** Seconds of stages that ran inside the one that is running. */
    private double inner;

    private int dumps;

    /** @param dumpDir receives a numbered text for every stage; made if it does not exist */
    public StageRunner(Optional<Path> dumpDir) {
        this.dumpDir = dumpDir;
    }

    /** Runs a stage and charges its time to {@code account}, less that of stages inside it. */
    public <T> T run(String account, Supplier<T> stage) {
        return run(account, stage, made -> {});
    }

    /**
     * The same, and verifies what the stage made.
     *
     * @param verifier throws where it is wrong
     */
    public <T> T run(String account, Supplier<T> stage, Consumer<T> verifier) {
        seconds.putIfAbsent(account, 0.0);
        double before = inner;
        inner = 0;
        long begin = System.nanoTime();
        T result = stage.get();
        verifier.accept(result);
        double taken = (System.nanoTime() - begin) / 1e9;
        seconds.merge(account, taken - inner, Double::sum);
        inner = before + taken;
        return result;
    }

    /** Leaves {@code NN-name.txt} in the dump folder, if there is one. */
    public void dump(String name, Supplier<String> text) {
        dumpDir.ifPresent(directory -> write(directory, name, text.get()));
    }

    private void write(Path directory, String name, String text) {
        try {
            Path folder = LinkTarget.of(directory.toAbsolutePath());
            Files.createDirectories(folder);
            AtomicFile.writeOwn(
                    folder.resolve("%02d-%s.txt".formatted(++dumps, name)), text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Seconds by account, in the order in which the accounts were first charged. */
    public SequencedMap<String, Double> seconds() {
        return new LinkedHashMap<>(seconds);
    }
}
