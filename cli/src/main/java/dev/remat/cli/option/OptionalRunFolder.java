package dev.remat.cli.option;

import dev.remat.runtime.checkpoint.RunFolder;
import java.io.IOException;
import java.util.Optional;

/** The folder that a run saves to, if it does. */
public record OptionalRunFolder(Optional<RunFolder> find) implements AutoCloseable {
    @Override
    public void close() throws IOException {
        if (find.isPresent()) {
            find.get().close();
        }
    }
}
