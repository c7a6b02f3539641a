package dev.remat.ir.io;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** What is the matter with a file, in words: for the most usual failures the system gives the file's name alone. */
public final class FileProblem {
    private FileProblem() {}

    /** Without the file's name, as far as that is known. */
    public static String of(IOException failure) {
        return switch (failure) {
            case FileSystemException e when e.getReason() != null -> e.getReason();
            case NoSuchFileException _ -> "no such file or directory";
            case AccessDeniedException _ -> "permission denied";
            case NotDirectoryException _ -> "is not a folder";
            case FileAlreadyExistsException _ -> "is there already";
            case DirectoryNotEmptyException _ -> "is a folder with something in it";
            case FileSystemException _ -> "cannot be read or written";
            default -> failure.getMessage();
        };
    }

    /** The failure with the file's name, which the system does not say of a full disk. */
    public static IOException named(Path file, IOException failure) {
        return failure instanceof FileSystemException || failure instanceof ClosedChannelException
                ? failure
                : new IOException(file + ": " + failure.getMessage(), failure);
    }

    /** With it. */
    public static String withName(IOException failure) {
        return failure instanceof FileSystemException e && e.getReason() == null
                ? e.getFile() + ": " + of(e)
                : failure.getMessage();
    }
}
