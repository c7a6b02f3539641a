package dev.remat.ir.target;

/**
 * A file that holds neither a profile nor a device, or one of another format version; the message tells the location.
 */
public final class CorruptCostsException extends RuntimeException {
    public CorruptCostsException(String message) {
        super(message);
    }
}
