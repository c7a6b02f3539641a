package dev.remat.runtime.lane;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Memory below an arena. One thread at a time stores and one fetches, side by side; the plan sees to it that they do
 * not touch the same bytes.
 */
public interface Place extends AutoCloseable {
    /** Copies {@code source} to the bytes from {@code offset} on. */
    void store(MemorySegment source, long offset) throws IOException;

    /** Copies the bytes from {@code offset} on to {@code target}. */
    void fetch(long offset, MemorySegment target) throws IOException;

    /** Gives the memory back, and leaves nothing behind. */
    @Override
    void close();
}
