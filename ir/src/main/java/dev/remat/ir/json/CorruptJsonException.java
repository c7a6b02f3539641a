package dev.remat.ir.json;

/** JSON that is not what the reader of its format expects; the message tells line and column. */
public final class CorruptJsonException extends RuntimeException {
    public CorruptJsonException(String message) {
        super(message);
    }
}
