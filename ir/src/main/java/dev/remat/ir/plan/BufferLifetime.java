package dev.remat.ir.plan;

import dev.remat.ir.Alignment;

/**
 * Memory needed for a while.
 *
 * @param lower first step at which it is live
 * @param upper step at which it is no longer live, greater than {@code lower}
 * @param size in bytes
 * @param alignment that its offset must be a multiple of, a power of two
 */
public record BufferLifetime(String id, int lower, int upper, long size, long alignment) {
    public BufferLifetime {
        if (lower < 0 || upper <= lower) {
            throw new IllegalArgumentException(
                    "buffer '" + id + "' is live from " + lower + " up to " + upper + ", which is no time at all");
        }
        if (size < 0) {
            throw new IllegalArgumentException("buffer '" + id + "' has a negative size: " + size);
        }
        if (Long.bitCount(alignment) != 1 || alignment < 0) {
            throw new IllegalArgumentException("alignment of buffer '" + id + "' is not a power of two: " + alignment);
        }
    }

    /** Whether the two are live at a common step. */
    public boolean overlaps(BufferLifetime other) {
        return lower < other.upper && other.lower < upper;
    }

    /** Bytes that it takes up: its size rounded up to its alignment. */
    public long alignedSize() {
        return Alignment.up(size, alignment);
    }
}
