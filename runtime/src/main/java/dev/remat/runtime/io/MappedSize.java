package dev.remat.runtime.io;

import dev.remat.ir.diagnostic.Count;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How long a file was when it was mapped: what is cut off later cannot be read any more, and takes the process along.
 *
 * @param bytes that the mapping reaches to
 */
public record MappedSize(Path file, long bytes) {
    public static MappedSize of(Path file) throws IOException {
        return new MappedSize(file, Files.size(file));
    }

    /** @throws DataException if the file has become shorter */
    public void check() {
        long now;
        try {
            now = Files.size(file);
        } catch (IOException e) {
            // Its content stays as long as it is mapped.
            return;
        }
        if (now < bytes) {
            throw new DataException(
                    file + " was cut short while it was read: it has " + Count.bytes(now) + " instead of " + bytes);
        }
    }
}
