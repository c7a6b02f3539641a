package dev.remat.ir.plan;

import java.util.List;

/**
 * Where each buffer lies in the arena.
 *
 * @param offsets in bytes, one a buffer in the order in which the buffers were given
 * @param height bytes of the arena: the largest end of a buffer, aligned
 * @param lowerBound largest sum of the aligned sizes of buffers that are live together; no layout is lower
 */
public record ArenaLayout(List<Long> offsets, long height, long lowerBound) {
    public ArenaLayout {
        offsets = List.copyOf(offsets);
        if (height < lowerBound) {
            throw new IllegalArgumentException("an arena of " + height + " bytes cannot hold " + lowerBound);
        }
    }

    public long offset(int buffer) {
        return offsets.get(buffer);
    }

    /** Height over lower bound, 1 where nothing is lost; 1 for an empty arena. */
    public double fragmentation() {
        return lowerBound == 0 ? 1 : (double) height / lowerBound;
    }
}
