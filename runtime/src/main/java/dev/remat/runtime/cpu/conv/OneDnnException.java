package dev.remat.runtime.cpu.conv;

/** oneDNN refused a call. */
final class OneDnnException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OneDnnException(String function, int status) {
        super(function + " failed with status " + status);
    }
}
