package dev.remat.compiler.fit;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.search.MemoryFloor;
import java.util.Optional;

/**
 * The largest extent found whose step fits.
 *
 * @param plan the step of that extent
 * @param keepAll the largest extent that fits without recomputation
 * @param step what extents are multiples of
 * @param next what is known of the extent one step larger
 * @param whole what is known of losses that are whole, where they are in chunks
 * @param steps how many extents were compiled to find it
 */
public record SymbolFit(
        long extent,
        Compilation plan,
        KeepAll keepAll,
        long step,
        NextExtent next,
        Optional<WholeLosses> whole,
        int steps) {
    /**
     * The same extent with losses that are whole.
     *
     * @param ceiling the largest extent whose floor fits; 0 if there is none
     * @param nextFloor what no plan of the {@linkplain #nextExtent() next} extent can do without
     */
    public record WholeLosses(long ceiling, MemoryFloor nextFloor) {}

    /** The same with another plan of that extent. */
    SymbolFit with(Compilation other) {
        return new SymbolFit(extent, other, keepAll, step, next, whole, steps);
    }

    /** The same extent where losses may be cut, with what is known of the next then, and where they are whole. */
    SymbolFit with(NextExtent other, WholeLosses whole) {
        return new SymbolFit(extent, plan, keepAll, step, other, Optional.of(whole), steps);
    }

    /** The next larger extent. */
    public long nextExtent() {
        return extent + step;
    }

    /** An extent kept whole; 0 if none fits. */
    public record KeepAll(long extent, long arenaBytes, long cost) {}
}
