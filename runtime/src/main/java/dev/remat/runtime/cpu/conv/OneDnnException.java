package dev.remat.runtime.cpu.conv;

/** oneDNN refused a call. */
final class OneDnnException extends RuntimeException {
    OneDnnException(String function, int status) {
        super(function + " failed with status " + status);
    }
}
