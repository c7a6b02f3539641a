package dev.remat.compiler.layout;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Fills the arena from the bottom: at the lowest stretch of its skyline over time, puts the best-ranked buffer that
 * lives within the stretch; where there is none, raises the stretch to its lower neighbour (Sekiyama, Imai, Negishi and
 * Kawachiya, 2018, who rank by lifetime). Nested intervals, as those of a backward that frees what the forward made,
 * stack up without gaps.
 */
final class LowestGap {
    private static final int NONE = -1;
    /** A visit of the search tree takes about as long as this many comparisons of a first-fit placement. */
    private static final long COST_OF_VISIT = 10;

    private record Entry(long height, int from) {}

    private final Intervals intervals;
    private final ContainedBuffers waiting;
    private final long[] offsets;
    /** Per step at which a stretch of the skyline begins: its height, its end, and the start of the one before it. */
    private final long[] height;

    private final int[] end;
    private final int[] before;
    private final boolean[] begins;
    private final PriorityQueue<Entry> queue =
            new PriorityQueue<>(Comparator.comparingLong(Entry::height).thenComparingInt(Entry::from));

    private LowestGap(Intervals intervals, int[] order) {
        this.intervals = intervals;
        waiting = new ContainedBuffers(intervals, order);
        offsets = new long[intervals.count()];
        height = new long[intervals.steps + 1];
        end = new int[intervals.steps + 1];
        before = new int[intervals.steps + 1];
        begins = new boolean[intervals.steps + 1];
    }

    /** @param order all buffers, best first */
    static Placement place(Intervals intervals, int[] order) {
        LowestGap gap = new LowestGap(intervals, order);
        gap.run();
        return new Placement(gap.offsets, COST_OF_VISIT * gap.waiting.visits());
    }

    private void run() {
        begin(0, intervals.steps, 0, NONE);
        int left = intervals.count();
        while (left > 0) {
            Entry lowest = queue.remove();
            int from = lowest.from;
            if (!begins[from] || height[from] != lowest.height) {
                continue;
            }
            int buffer = waiting.take(from, end[from]);
            if (buffer == NONE) {
                raise(from);
            } else {
                put(buffer, from);
                left--;
            }
        }
    }

    /** The whole skyline is never raised: some buffer would have lived within it. */
    private void raise(int from) {
        boolean hasLeft = before[from] != NONE;
        boolean hasRight = end[from] < intervals.steps;
        long left = hasLeft ? height[before[from]] : Long.MAX_VALUE;
        long right = hasRight ? height[end[from]] : Long.MAX_VALUE;
        height[from] = Math.min(left, right);
        join(from);
    }

    private void put(int buffer, int from) {
        int lower = intervals.lower[buffer];
        int upper = intervals.upper[buffer];
        int to = end[from];
        long floor = height[from];
        int left = before[from];
        offsets[buffer] = intervals.aligned(floor, buffer);
        if (from < lower) {
            begin(from, lower, floor, left);
            left = from;
        }
        begin(lower, upper, offsets[buffer] + intervals.size[buffer], left);
        if (upper < to) {
            begin(upper, to, floor, lower);
        }
        if (to < intervals.steps) {
            before[to] = upper < to ? upper : lower;
        }
        join(lower);
    }

    private void begin(int from, int to, long at, int left) {
        begins[from] = true;
        end[from] = to;
        height[from] = at;
        before[from] = left;
        queue.add(new Entry(at, from));
    }

    /** Joins a stretch with neighbours of its height. */
    private void join(int stretch) {
        int from = stretch;
        int to = end[stretch];
        int left = before[stretch];
        long at = height[stretch];
        if (left != NONE && height[left] == at) {
            begins[from] = false;
            from = left;
            left = before[left];
        }
        if (to < intervals.steps && height[to] == at) {
            begins[to] = false;
            to = end[to];
        }
        begin(from, to, at, left);
        if (to < intervals.steps) {
            before[to] = from;
        }
    }
}
