package dev.remat.ir.io;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whether a folder takes files, for a check before long work. */
public final class WritableFolder {
    private WritableFolder() {}

    /**
     * Fails where files could not be created in a folder or, if it is missing, where it could not be made. Leaves
     * nothing behind.
     *
     * @throws FileSystemException if that is so
     */
    public static void check(Path folder) throws IOException {
        Path existing = folder.toAbsolutePath();
        while (!Files.exists(existing)) {
            existing = existing.getParent();
        }
        if (!Files.isDirectory(existing)) {
            throw new FileSystemException(existing.toString(), null, "is a file, not a folder");
        }
        TemporaryFile.in(existing).close();
    }
}
