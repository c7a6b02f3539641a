package dev.remat.runtime.cpu.support;

/** An integer of a tensor that picks outside of what it picks from; thrown before anything is read or written there. */
public final class StrayIndexException extends RuntimeException {
    private final long base;
    private final long index;
    private final long position;
    private final int extent;

    StrayIndexException(long base, long index, long position, int extent) {
        super("index " + index + " at " + position + " is not from 0 to below " + extent, null, false, false);
        this.base = base;
        this.index = index;
        this.position = position;
        this.extent = extent;
    }

    /** Byte of the arena where the indices begin. */
    public long base() {
        return base;
    }

    public long index() {
        return index;
    }

    /** Which element of the indices it is, row by row. */
    public long position() {
        return position;
    }

    /** One past the largest that there is. */
    public int extent() {
        return extent;
    }
}
