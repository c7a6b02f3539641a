package dev.remat.compiler.stage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.function.Supplier;

/** The one place that looks at the clock: runs each stage, keeps its seconds, and dumps what it made. */
public final class StageRunner {
    private final Optional<Path> dumpDir;
    private final SequencedMap<String, Double> seconds = new LinkedHashMap<>();
    private int dumps;

    /** @param dumpDir receives a numbered text for every stage; made if it does not exist */
    public StageRunner(Optional<Path> dumpDir) {
        this.dumpDir = dumpDir;
    }

    /** Runs a stage and charges its time to {@code account}. */
    public <T> T run(String account, Supplier<T> stage) {
        long begin = System.nanoTime();
        T result = stage.get();
        seconds.merge(account, (System.nanoTime() - begin) / 1e9, Double::sum);
        return result;
    }

    /** Runs a stage and leaves {@code NN-name.txt} in the dump folder. */
    public <T> T run(String account, String name, Supplier<T> stage, Function<T, String> text) {
        T result = run(account, stage);
        dump(name, () -> text.apply(result));
        return result;
    }

    /** Leaves {@code NN-name.txt} in the dump folder, if there is one. */
    public void dump(String name, Supplier<String> text) {
        dumpDir.ifPresent(directory -> write(directory, name, text.get()));
    }

    private void write(Path directory, String name, String text) {
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve("%02d-%s.txt".formatted(++dumps, name)), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Seconds by account, in the order in which the accounts were first charged. */
    public SequencedMap<String, Double> seconds() {
        return new LinkedHashMap<>(seconds);
    }
}
