package dev.remat.compiler.layout;

/**
 * Puts buffers, in an order, each at the lowest offset at which it overlaps none put before, gaps included. Takes time
 * in proportion to the buffers already below the gap that is found.
 */
final class FirstFit {
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

    static Placement place(Intervals intervals, int[] order) {
        FirstFit fit = new FirstFit(intervals);
        for (int buffer : order) {
            fit.put(buffer);
        }
        return new Placement(fit.offsets, fit.work);
    }

    private void put(int buffer) {
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
