package dev.remat.ir.execution;

/** Bytes {@code [offset, offset + bytes)} of the arena. */
public record ByteRange(long offset, long bytes) {
    public static final ByteRange EMPTY = new ByteRange(0, 0);

    public ByteRange {
        if (offset < 0 || bytes < 0 || offset > Long.MAX_VALUE - bytes) {
            throw new IllegalArgumentException("range " + offset + " + " + bytes);
        }
    }

    public long end() {
        return offset + bytes;
    }

    /** Whether a byte is in both; an empty range overlaps nothing. */
    public boolean overlaps(ByteRange other) {
        return Math.max(offset, other.offset) < Math.min(end(), other.end());
    }
}
