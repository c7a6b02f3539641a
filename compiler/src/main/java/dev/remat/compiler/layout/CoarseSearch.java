package dev.remat.compiler.layout;

import dev.remat.compiler.layout.LayoutSearch.Outcome;
import java.util.Arrays;
import java.util.Comparator;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Search within a capacity for what is not small, in units of which few make up the height, so that there is little to
 * decide and much is level. Then all lie as low as they can in the order in which they were found above one another,
 * which takes back what was rounded up, and small ones where they fit. Buffers that live throughout lie at the bottom.
 *
 * <p>That there is no such layout proves nothing.
 */
final class CoarseSearch {
    /** As many as {@link ReachableTops} affords. */
    private static final long UNITS = 4000;
    /** Sizes of a unit to choose from, up to twice the least. */
    private static final int TRIED_UNITS = 32;

    private final Intervals intervals;
    /** Offsets of what lives throughout, else negative. */
    private final long[] places;

    private final long base;
    private final int[] large;
    private final int[] small;
    private final long unit;
    private final Intervals coarse;
    private CompleteSearch search;
    private long[] offsets;
    private long work;

    /**
     * @param height of a layout, above which no capacity is asked for
     * @param part a buffer is small below this part of the height that is left above what lives throughout
     */
    CoarseSearch(Intervals intervals, long height, long part) {
        this.intervals = intervals;
        places = FirstFit.anywhere(intervals);
        long strictest = Arrays.stream(intervals.alignment).max().orElse(1);
        base = placeThroughout(strictest);
        long left = Math.max(0, height - base);
        large = toCome().filter(b -> intervals.size[b] >= left / part).toArray();
        small = toCome().filter(b -> intervals.size[b] < left / part)
                .boxed()
                .sorted(Comparator.comparingLong(b -> -intervals.size[b]))
                .mapToInt(Integer::intValue)
                .toArray();
        Intervals alone = intervals.only(large);
        long least = left / UNITS / strictest + 1;
        unit = IntStream.range(0, TRIED_UNITS)
                .mapToLong(i -> (least + least * i / TRIED_UNITS) * strictest)
                .distinct()
                .boxed()
                .min(Comparator.comparingDouble(tried -> liveSum(alone, tried)))
                .orElseThrow();
        coarse = alone.inUnits(unit);
    }

    /** What is live together at most, rounded up. */
    private static double liveSum(Intervals alone, long unit) {
        return (double) unit * alone.inUnits(unit).largestLiveSum();
    }

    private long placeThroughout(long strictest) {
        long top = 0;
        for (int b = 0; b < intervals.count(); b++) {
            if (intervals.length(b) == intervals.steps) {
                places[b] = intervals.aligned(top, b);
                top = places[b] + intervals.size[b];
            }
        }
        return (top + strictest - 1) / strictest * strictest;
    }

    private IntStream toCome() {
        return IntStream.range(0, intervals.count()).filter(b -> places[b] < 0);
    }

    /** How many buffers are searched for. */
    int count() {
        return large.length;
    }

    /** Comparisons that going straight for a layout takes, about. */
    long straight() {
        return (long) coarse.count() * coarse.steps / 2;
    }

    /** Whether it may be run, as {@link CompleteSearch#affordable}. */
    boolean affordable(long mostWork) {
        return CompleteSearch.affordable(coarse, mostWork);
    }

    /**
     * Searches for a layout; the one found may be higher than the capacity by what small ones need.
     *
     * @param mostWork comparisons that it may take, more where it goes straight for a layout
     * @param mostInAll comparisons that are not exceeded by much
     * @return whether {@link #offsets} has one
     */
    boolean run(long capacity, long mostWork, long mostInAll, BooleanSupplier expired) {
        search = search == null ? new CompleteSearch(coarse) : search;
        long begun = search.work();
        Outcome outcome = search.run((capacity - base) / unit, mostWork, mostInAll, expired);
        work += search.work() - begun + coarse.count();
        if (outcome == Outcome.FOUND) {
            long[] at = search.offsets();
            IntStream upward = IntStream.range(0, large.length)
                    .boxed()
                    .sorted(Comparator.comparingLong(i -> at[i]))
                    .mapToInt(i -> large[i]);
            Placement placement = FirstFit.place(
                    intervals, IntStream.concat(upward, Arrays.stream(small)).toArray(), places);
            offsets = placement.offsets();
            work += placement.work();
        }
        return outcome == Outcome.FOUND;
    }

    /** The layout found last. */
    long[] offsets() {
        return offsets;
    }

    long work() {
        return work;
    }
}
