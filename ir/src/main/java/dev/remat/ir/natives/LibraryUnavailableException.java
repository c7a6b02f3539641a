package dev.remat.ir.natives;

/** A native library cannot be used on this machine; the message says why, and the way out. */
public final class LibraryUnavailableException extends RuntimeException {
    public LibraryUnavailableException(String message) {
        super(message);
    }

    public LibraryUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
