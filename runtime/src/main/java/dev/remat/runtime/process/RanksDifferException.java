package dev.remat.runtime.process;

import java.util.List;

/** Processes are not about to do the same. */
public final class RanksDifferException extends RuntimeException {
    /** @param differing what differs, in words */
    public RanksDifferException(List<String> differing) {
        super("ranks do not agree: " + String.join("; ", differing));
    }
}
