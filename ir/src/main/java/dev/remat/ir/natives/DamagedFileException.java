package dev.remat.ir.natives;

import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** A file of a cache is not what was kept there. */
public final class DamagedFileException extends FileSystemException {
    DamagedFileException(Path file, String reason) {
        super(file.toString(), null, reason);
    }
}
