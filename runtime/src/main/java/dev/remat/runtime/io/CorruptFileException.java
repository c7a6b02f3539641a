package dev.remat.runtime.io;

import java.nio.file.Path;

/** A file that is damaged, of an unknown version, or made for another model. */
public final class CorruptFileException extends RuntimeException {
    private final Path file;

    /** @param problem what is wrong, and where it helps, the way out; without the file's name */
    public CorruptFileException(Path file, String problem) {
        super(file + ": " + problem);
        this.file = file;
    }

    public CorruptFileException(Path file, String problem, Throwable cause) {
        super(file + ": " + problem, cause);
        this.file = file;
    }

    public Path file() {
        return file;
    }
}
