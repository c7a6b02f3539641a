package dev.remat.ir.natives;

import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** A folder that somebody else owns, writes to, or could replace; the reason says what would change that. */
public final class UntrustedFolderException extends FileSystemException {
    UntrustedFolderException(Path folder, String reason) {
        super(folder.toString(), null, reason);
    }
}
