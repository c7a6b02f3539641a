package dev.remat.runtime.cuda;

/** A device that was asked for cannot be used, or failed; the message says which, where and why. */
public final class DeviceException extends RuntimeException {
    public DeviceException(String message) {
        super(message);
    }

    DeviceException(String message, Throwable cause) {
        super(message, cause);
    }
}
