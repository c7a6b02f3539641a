package dev.remat.runtime.io;

/** Readable data that does not fit what the model asks for; the message says what was expected and what was found. */
public final class DataException extends RuntimeException {
    public DataException(String message) {
        super(message);
    }
}
