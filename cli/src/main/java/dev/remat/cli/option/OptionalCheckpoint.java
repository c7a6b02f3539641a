package dev.remat.cli.option;

import dev.remat.runtime.checkpoint.Checkpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The checkpoint that a run goes on from, if it does. */
public record OptionalCheckpoint(Optional<Checkpoint> find) implements AutoCloseable {
    /** @param directory null if the run starts anew */
    public static OptionalCheckpoint open(Path directory) throws IOException {
        return new OptionalCheckpoint(directory == null ? Optional.empty() : Optional.of(Checkpoint.open(directory)));
    }

    /** Lets go of its files before the end. */
    public void release() {
        find.ifPresent(Checkpoint::close);
    }

    @Override
    public void close() {
        release();
    }
}
