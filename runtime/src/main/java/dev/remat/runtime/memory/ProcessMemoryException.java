package dev.remat.runtime.memory;

import java.util.OptionalLong;

/** What a plan and its process take is more than this process may have. */
public final class ProcessMemoryException extends RuntimeException {
    private final OptionalLong arenaThatFits;

    /** @param arenaBytes 0 for none at all */
    ProcessMemoryException(long arenaBytes, long besideBytes, MemoryLimit limit) {
        super((arenaBytes == 0 ? "" : "the arena takes " + arenaBytes + " bytes, and ") + "the process needs "
                + besideBytes + " more beside " + (arenaBytes == 0 ? "its arena" : "it") + ", and " + limit.of()
                + " has " + limit.leftBytes() + " free of " + limit.bytes());
        long fits = limit.freeBytes() - besideBytes;
        this.arenaThatFits = fits > 0 ? OptionalLong.of(fits) : OptionalLong.empty();
    }

    /** How large an arena there would be memory for; empty if there is none for any. */
    public OptionalLong arenaThatFits() {
        return arenaThatFits;
    }
}
