package dev.remat.cli.option;

import dev.remat.runtime.log.RunLog;
import java.io.IOException;
import java.util.Optional;

/** The folder that a run logs to, if it does. */
public record OptionalRunLog(Optional<RunLog> find) implements AutoCloseable {
    @Override
    public void close() throws IOException {
        if (find.isPresent()) {
            find.get().close();
        }
    }
}
