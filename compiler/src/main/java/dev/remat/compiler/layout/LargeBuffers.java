package dev.remat.compiler.layout;

import dev.remat.compiler.plan.SearchListener;
import java.util.stream.IntStream;

/**
 * Places of large buffers among many small ones. Where those are few, a layout of them alone is found soon that has
 * hardly a gap, and small ones fill what it leaves better than large ones fit between small ones.
 */
final class LargeBuffers {
    /** A buffer is large from this part of the largest on. */
    private static final long LARGE = 8;
    /** They are few up to this part of all. */
    private static final int FEW = 8;

    /** Comparisons that their layout may take. */
    private static final long MOST_WORK = 20_000_000;

    private LargeBuffers() {}

    private static int[] of(Intervals intervals) {
        long largest = 0;
        for (long size : intervals.size) {
            largest = Math.max(largest, size);
        }
        long least = largest / LARGE;
        return IntStream.range(0, intervals.count())
                .filter(b -> intervals.size[b] >= least)
                .toArray();
    }

    /** Whether there are large ones among many more that are small. */
    static boolean areFew(Intervals intervals) {
        return of(intervals).length <= intervals.count() / FEW;
    }

    /** Offsets of the large ones, as low as is found soon; of the others a negative number. */
    static long[] places(Intervals intervals) {
        int[] large = of(intervals);
        LayoutLimits limits = new LayoutLimits(0, MOST_WORK, SearchListener.NONE);
        FoundLayout found = LowestLayout.find(intervals.only(large), limits);
        long[] places = FirstFit.anywhere(intervals);
        for (int i = 0; i < large.length; i++) {
            places[large[i]] = found.offsets().get(i);
        }
        return places;
    }
}
