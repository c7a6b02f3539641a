package dev.remat.compiler.layout;

import java.util.Arrays;

/**
 * Puts buffers, in an order, each at the lowest offset at which it overlaps none put before, gaps included. Takes time
 * in proportion to the buffers already below the gap that is found.
 */
final class FirstFit {
    private static final long FREE = -1;

    private final Intervals intervals;
    private final long[] offsets;
    /** Buffers put so far, by offset. */
    private final int[] placed;

    private int count;
    private long work;

    private FirstFit(Intervals intervals) {
        this.intervals = intervals;
        offsets = new long[intervals.count()];
        placed = new int[intervals.count()];
    }

    /** Places where no buffer has one yet. */
    static long[] anywhere(Intervals intervals) {
        long[] places = new long[intervals.count()];
        Arrays.fill(places, FREE);
        return places;
    }

    /** @param places offsets of buffers that have theirs, which do not overlap, else negative */
    static Placement place(Intervals intervals, int[] order, long[] places) {
        FirstFit fit = new FirstFit(intervals);
        for (int buffer = 0; buffer < places.length; buffer++) {
            if (places[buffer] >= 0) {
                fit.put(buffer, places[buffer]);
            }
        }
        for (int buffer : order) {
            if (places[buffer] < 0) {
                fit.put(buffer, fit.lowest(buffer));
            }
        }
        return new Placement(fit.offsets, fit.work);
    }

    private long lowest(int buffer) {
        int lower = intervals.lower[buffer];
        int upper = intervals.upper[buffer];
        long size = intervals.size[buffer];
        long offset = 0;
        int i = 0;
        while (i < count) {
            int other = placed[i++];
            if (intervals.lower[other] < upper && lower < intervals.upper[other]) {
                if (offsets[other] >= offset + size) {
                    break;
                }
                long end = offsets[other] + intervals.size[other];
                offset = end > offset ? intervals.aligned(end, buffer) : offset;
            }
        }
        work += i;
        return offset;
    }

    private void put(int buffer, long offset) {
        offsets[buffer] = offset;
        insert(buffer);
    }

    private void insert(int buffer) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) / 2;
            if (offsets[placed[middle]] <= offsets[buffer]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        System.arraycopy(placed, low, placed, low + 1, count - low);
        placed[low] = buffer;
        count++;
    }
}
