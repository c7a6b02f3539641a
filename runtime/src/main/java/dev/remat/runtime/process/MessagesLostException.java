package dev.remat.runtime.process;

/** The connection between two ranks is gone, and nobody has said why. */
public final class MessagesLostException extends RuntimeException {
    /** @param rank that waited for another */
    public MessagesLostException(int rank, int other, Throwable cause) {
        super("rank " + rank + " has lost the connection to rank " + other + ": " + cause.getMessage(), cause);
    }
}
