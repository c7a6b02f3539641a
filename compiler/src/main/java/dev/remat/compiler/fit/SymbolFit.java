package dev.remat.compiler.fit;

import dev.remat.compiler.Compilation;

/**
 * The largest extent found whose step fits.
 *
 * @param plan the step of that extent
 * @param keepAll the largest extent that fits without recomputation
 * @param step what extents are multiples of
 * @param next what is known of the extent one step larger
 * @param steps how many extents were compiled to find it
 */
public record SymbolFit(long extent, Compilation plan, KeepAll keepAll, long step, NextExtent next, int steps) {
    /** The same with another plan of that extent. */
    SymbolFit with(Compilation other) {
        return new SymbolFit(extent, other, keepAll, step, next, steps);
    }

    /** The next larger extent. */
    public long nextExtent() {
        return extent + step;
    }

    /** An extent kept whole; 0 if none fits. */
    public record KeepAll(long extent, long arenaBytes, long cost) {}
}
