package dev.remat.runtime.io;

import java.lang.foreign.MemorySegment;

/** Batches in an endless order that is a function of seed and step, so that a resumed run sees the same ones. */
public interface BatchSource {
    /** Batches after which every sample was seen once, at least 1. */
    long batchesPerEpoch();

    /**
     * Writes one input of one batch.
     *
     * @param step from 0
     * @param input one of the inputs that the source was made for
     * @param target at least the input's elements, row-major and little-endian
     * @throws DataException if a value does not fit the input's type or range
     */
    void fill(long step, InputSpec input, MemorySegment target);
}
