package dev.remat.compiler.layout;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Buffers still to be placed, to be asked for the best one that lives entirely within a span of steps. A tree over the
 * buffers by first step; branches whose buffers all end too late, or rank after one already found, are not entered.
 */
final class ContainedBuffers {
    private static final int NONE = -1;

    private final Intervals intervals;
    private final int[] buffers;
    private final int[] rank;
    private final int leaves;
    private final int[] firstUpper;
    private final int[] lastUpper;
    private final int[] best;
    private long visits;

    /** @param order all buffers to be placed, best first */
    ContainedBuffers(Intervals intervals, int[] order) {
        this.intervals = intervals;
        rank = new int[intervals.count()];
        for (int i = 0; i < order.length; i++) {
            rank[order[i]] = i;
        }
        buffers = Arrays.stream(order)
                .boxed()
                .sorted(Comparator.<Integer>comparingInt(b -> intervals.lower[b])
                        .thenComparingInt(b -> intervals.upper[b]))
                .mapToInt(Integer::intValue)
                .toArray();
        leaves = Math.max(1, Integer.highestOneBit(Math.max(1, buffers.length - 1)) * 2);
        firstUpper = new int[2 * leaves];
        lastUpper = new int[2 * leaves];
        best = new int[2 * leaves];
        Arrays.fill(firstUpper, Integer.MAX_VALUE);
        Arrays.fill(best, NONE);
        for (int i = 0; i < buffers.length; i++) {
            firstUpper[leaves + i] = intervals.upper[buffers[i]];
            lastUpper[leaves + i] = intervals.upper[buffers[i]];
            best[leaves + i] = i;
        }
        for (int node = leaves - 1; node > 0; node--) {
            update(node);
        }
    }

    /** How many branches all queries so far have looked at. */
    long visits() {
        return visits;
    }

    /** Takes out and returns the best buffer that lives within [{@code from}, {@code to}); -1 if there is none. */
    int take(int from, int to) {
        int found = search(1, 0, leaves, firstFrom(from), firstFrom(to), to, NONE);
        if (found == NONE) {
            return NONE;
        }
        int node = leaves + found;
        firstUpper[node] = Integer.MAX_VALUE;
        lastUpper[node] = 0;
        best[node] = NONE;
        for (node /= 2; node > 0; node /= 2) {
            update(node);
        }
        return buffers[found];
    }

    /** Depth of the recursion is that of the balanced tree. */
    private int search(int node, int begin, int end, int from, int to, int latest, int found) {
        visits++;
        boolean outside = end <= from || to <= begin || firstUpper[node] > latest;
        if (outside || best[node] == NONE || !better(best[node], found)) {
            return found;
        }
        if (from <= begin && end <= to && lastUpper[node] <= latest) {
            return best[node];
        }
        int middle = (begin + end) / 2;
        int left = 2 * node;
        boolean leftFirst = best[left] != NONE && better(best[left], best[left + 1]);
        int first = leftFirst
                ? search(left, begin, middle, from, to, latest, found)
                : search(left + 1, middle, end, from, to, latest, found);
        return leftFirst
                ? search(left + 1, middle, end, from, to, latest, first)
                : search(left, begin, middle, from, to, latest, first);
    }

    private boolean better(int a, int b) {
        return b == NONE || rank[buffers[a]] < rank[buffers[b]];
    }

    /** Index of the first buffer that begins at {@code step} or later. */
    private int firstFrom(int step) {
        int low = 0;
        int high = buffers.length;
        while (low < high) {
            int middle = (low + high) / 2;
            if (intervals.lower[buffers[middle]] < step) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void update(int node) {
        int left = 2 * node;
        firstUpper[node] = Math.min(firstUpper[left], firstUpper[left + 1]);
        lastUpper[node] = Math.max(lastUpper[left], lastUpper[left + 1]);
        boolean rightBest = best[left] == NONE || best[left + 1] != NONE && better(best[left + 1], best[left]);
        best[node] = rightBest ? best[left + 1] : best[left];
    }
}
