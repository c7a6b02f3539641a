package dev.remat.cli.option;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/** What a user may have asked for, open if he has. */
public record Opened<T extends Closeable>(Optional<T> find) implements Closeable {
    @Override
    public void close() throws IOException {
        if (find.isPresent()) {
            find.get().close();
        }
    }
}
