package dev.remat.runtime.ranks;

/** A rank or stage waits for another that has stopped. */
public final class RankLostException extends RuntimeException {
    RankLostException(int rank, Throwable cause) {
        this("rank", rank, cause);
    }

    /** @param kind of who waits: a rank, or a stage */
    RankLostException(String kind, int number, Throwable cause) {
        super(kind + " " + number + " waits for one that has stopped: " + cause.getMessage(), cause);
    }
}
