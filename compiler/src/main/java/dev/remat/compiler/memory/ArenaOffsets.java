package dev.remat.compiler.memory;

import dev.remat.compiler.layout.FoundLayout;
import dev.remat.compiler.layout.Intervals;
import dev.remat.compiler.layout.LayoutAround;
import dev.remat.compiler.layout.LayoutLimits;
import dev.remat.compiler.layout.LowestLayout;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.plan.ArenaLayout;
import dev.remat.ir.plan.BufferLifetime;
import java.util.List;

/**
 * Gives every buffer of a plan an offset in one arena such that no two that are live together overlap, and the arena is
 * as low as is found with bounded effort. Buffers that live from first to last step, as parameters do, lie at the
 * bottom.
 */
public final class ArenaOffsets {
    /** Comparisons: about a fifth of a second. */
    private static final long MOST_WORK = 40_000_000;

    private ArenaOffsets() {}

    /** Lays out buffers; their sizes are rounded up to their alignment. */
    public static ArenaLayout layout(List<BufferLifetime> buffers) {
        return layout(buffers, 0);
    }

    /** The same where much depends on whether the arena is as low as {@code hoped}; 0 if nothing does. */
    static ArenaLayout layout(List<BufferLifetime> buffers, long hoped) {
        LayoutLimits limits = new LayoutLimits(0, hoped, MOST_WORK, SearchListener.NONE);
        FoundLayout found = LowestLayout.find(Intervals.of(buffers), limits);
        return new ArenaLayout(found.offsets(), found.height(), found.liveSum());
    }

    /**
     * Lays out buffers of which some have their places: those that the arena's other plan keeps.
     *
     * @param places offset of each that has one, else negative
     */
    public static ArenaLayout layout(List<BufferLifetime> buffers, long[] places) {
        return LayoutAround.find(buffers, places);
    }
}
