package dev.remat.runtime.cpu.support;

/** oneDNN refused a call. */
public final class OneDnnException extends RuntimeException {
    OneDnnException(String function, int status) {
        super(function + " failed with status " + status);
    }
}
