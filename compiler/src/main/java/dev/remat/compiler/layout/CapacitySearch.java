package dev.remat.compiler.layout;

import dev.remat.compiler.layout.LayoutSearch.Outcome;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.IntToDoubleFunction;

/**
 * Complete search within a capacity, begun anew with growing limits and another order each time: buffers that take most
 * time, most area, most memory or most sections first. What failed often is remembered and dealt with earlier.
 */
final class CapacitySearch {
    private static final long FIRST_LIMIT = 50;
    private static final double LARGEST_RANK = 1L << 40;

    private final Sections sections;
    private final long[][] ranks;
    private final double[] weight;
    private final long[] offsets;
    private long work;

    /** @param length of each buffer's life */
    CapacitySearch(Sections sections, int[] length) {
        this.sections = sections;
        ranks = new long[][] {
            rank(b -> length[b]),
            rank(b -> (double) sections.size[b] * length[b]),
            rank(b -> sections.size[b]),
            rank(sections::length)
        };
        weight = new double[sections.count()];
        Arrays.fill(weight, 1);
        offsets = new long[sections.buffers()];
    }

    /** Largest first. */
    private long[] rank(IntToDoubleFunction criterion) {
        double largest = 1;
        for (int b = 0; b < sections.buffers(); b++) {
            largest = Math.max(largest, criterion.applyAsDouble(b));
        }
        long[] rank = new long[sections.buffers()];
        for (int b = 0; b < rank.length; b++) {
            rank[b] = (long) (LARGEST_RANK * (1 - criterion.applyAsDouble(b) / largest));
        }
        return rank;
    }

    /**
     * Searches for offsets up to {@code capacity}.
     *
     * @param mostWork comparisons after which to give up, unless it goes straight for a layout
     * @param mostStraight comparisons after which to give up anyway
     */
    Outcome run(long capacity, long mostWork, long mostStraight, BooleanSupplier expired) {
        long begin = work;
        long end = work + Math.min(mostWork, Long.MAX_VALUE - work);
        long limit = FIRST_LIMIT + sections.buffers() / 8;
        while (work < end && !expired.getAsBoolean()) {
            for (long[] rank : ranks) {
                long begun = work;
                LayoutSearch search = new LayoutSearch(sections, capacity / sections.unit, rank, weight);
                Outcome outcome = search.run(limit, end - begun, mostStraight - (begun - begin), expired);
                work += search.work();
                if (outcome == Outcome.FOUND) {
                    for (int b = 0; b < offsets.length; b++) {
                        offsets[b] = search.offset(b) * sections.unit;
                    }
                }
                if (outcome != Outcome.UNKNOWN) {
                    return outcome;
                }
            }
            limit += limit / 2;
        }
        return Outcome.UNKNOWN;
    }

    /** Where a buffer lies in the layout found last. */
    long offset(int buffer) {
        return offsets[buffer];
    }

    long work() {
        return work;
    }
}
