package dev.remat.runtime.ranks;

/** A rank waits for another that has stopped. */
public final class RankLostException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RankLostException(int rank, Throwable cause) {
        super("rank " + rank + " waits for one that has stopped: " + cause.getMessage(), cause);
    }
}
