package dev.remat.runtime.process;

/** Processes that were started together do not come together. */
public final class RendezvousException extends RuntimeException {
    /** @param message who is missing, or what is in the way, and what helps */
    public RendezvousException(String message) {
        super(message);
    }
}
