package dev.remat.runtime.io;

import java.util.OptionalLong;

/**
 * What an integer that picks rows of a tensor may be.
 *
 * @param bound it counts from 0 to below it (a vocabulary's or label set's size); 0 where nothing is known
 * @param ignored what it may be besides, for a target that does not count
 */
public record IndexRange(long bound, OptionalLong ignored) {
    /** Of an integer that nothing is known about. */
    public static final IndexRange ANY = new IndexRange(0, OptionalLong.empty());

    public IndexRange {
        if (bound < 0) {
            throw new IllegalArgumentException("negative bound " + bound);
        }
    }

    /** From 0 to below a bound. */
    public static IndexRange below(long bound) {
        return new IndexRange(bound, OptionalLong.empty());
    }

    public boolean isKnown() {
        return bound > 0;
    }

    public boolean contains(long value) {
        return !isKnown() || 0 <= value && value < bound || ignored.isPresent() && value == ignored.getAsLong();
    }

    /** Of an integer that picks twice: what both allow, and what both ignore. */
    public IndexRange and(IndexRange other) {
        if (!isKnown() || !other.isKnown()) {
            return isKnown() ? this : other;
        }
        return new IndexRange(
                Math.min(bound, other.bound), ignored.equals(other.ignored) ? ignored : OptionalLong.empty());
    }

    /** {@code from 0 to below 4, or -1 for what does not count}. */
    @Override
    public String toString() {
        return "from 0 to below " + bound
                + (ignored.isPresent() ? ", or " + ignored.getAsLong() + " for what does not count" : "");
    }
}
