package dev.remat.ir.io;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A check before a file is read. */
public final class ReadableFile {
    private ReadableFile() {}

    /**
     * Refuses a folder, which can be opened; that it cannot be read is then told without its name.
     *
     * @throws FileSystemException if it is one
     */
    public static void check(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new FileSystemException(file.toString(), null, "is a folder, not a file");
        }
    }
}
