package dev.remat.ir.execution;

import dev.remat.ir.Alignment;

/** An arena in which each buffer lies behind the one before, for steps that no planner places. */
public final class SequentialArena {
    private final long alignment;
    private long end;

    /** @param alignment of every buffer in bytes, a power of two */
    public SequentialArena(long alignment) {
        this.alignment = alignment;
    }

    /** First byte of a new buffer. */
    public long place(long bytes) {
        long offset = end;
        end = Alignment.up(Math.addExact(end, bytes), alignment);
        return offset;
    }

    /** A new buffer. */
    public ByteRange range(long bytes) {
        return new ByteRange(place(bytes), bytes);
    }

    /** Size so far, a multiple of the alignment. */
    public long bytes() {
        return end;
    }
}
