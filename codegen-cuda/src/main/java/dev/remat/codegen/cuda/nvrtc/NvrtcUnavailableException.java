package dev.remat.codegen.cuda.nvrtc;

/** NVRTC cannot be used on this machine; the message says why, and the way out. */
public final class NvrtcUnavailableException extends RuntimeException {
    NvrtcUnavailableException(String message) {
        super(message);
    }

    NvrtcUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
