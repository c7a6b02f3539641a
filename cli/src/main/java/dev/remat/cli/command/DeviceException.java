package dev.remat.cli.command;

/** A device that was asked for cannot be used; the message says why. */
final class DeviceException extends RuntimeException {
    DeviceException(String message) {
        super(message);
    }
}
