package dev.remat.runtime.memory;

/**
 * A limit on the memory of this process, and what is left of it.
 *
 * @param of whose limit it is, as a sentence goes on with it, such as {@code the control group /a}
 * @param bytes the limit
 * @param freeBytes what may still be taken in memory; what caches hold counts as free, since it is given back
 * @param swapBytes what may be taken beyond that, elsewhere
 */
public record MemoryLimit(String of, Kind kind, long bytes, long freeBytes, long swapBytes) {
    /** What is counted. */
    public enum Kind {
        /** Pages that have been touched. */
        RESIDENT,
        /** All that is mapped, as {@code ulimit -v} has it. */
        MAPPED
    }

    /** What may be taken before the process is refused memory, or killed. */
    public long leftBytes() {
        return freeBytes + swapBytes;
    }
}
