package dev.remat.runtime.lane;

/** A place below the arena cannot be had, or fails. */
public final class PlaceException extends RuntimeException {
    public PlaceException(String message) {
        super(message);
    }

    public PlaceException(String message, Throwable cause) {
        super(message, cause);
    }
}
