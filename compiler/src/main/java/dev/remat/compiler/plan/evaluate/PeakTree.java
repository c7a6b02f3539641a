package dev.remat.compiler.plan.evaluate;

/**
 * Bytes in memory at each step, with additions to ranges of steps and largest sums over ranges in time logarithmic in
 * the number of steps: a segment tree whose inner nodes hold what was added to their whole range.
 */
public final class PeakTree {
    /** Parts of which excesses are told apart. */
    private static final int PARTS = 128;

    private final int size;
    private final int leaves;
    private final long[] added;
    private final long[] largest;

    /** Starts with these bytes, one a step, at least one. */
    public PeakTree(long[] bytes) {
        size = bytes.length;
        leaves = Math.max(1, Integer.highestOneBit(Math.max(1, size - 1)) << 1);
        added = new long[2 * leaves];
        largest = new long[2 * leaves];
        for (int i = 0; i < leaves; i++) {
            largest[leaves + i] = i < size ? bytes[i] : Long.MIN_VALUE / 2;
        }
        for (int i = leaves - 1; i > 0; i--) {
            largest[i] = Math.max(largest[2 * i], largest[2 * i + 1]);
        }
    }

    /** Adds to each step from {@code from} up to, not including, {@code to}; nothing if there is none. */
    public void add(int from, int to, long bytes) {
        if (from >= to) {
            return;
        }
        int first = leaves + from;
        int end = leaves + to;
        int left = first;
        int right = end;
        int level = 0;
        // Nodes of a level that the range covers in part, if there are any: one at its beginning and one at its end.
        int begins = 0;
        int ends = 0;
        while (left < right) {
            if ((left & 1) == 1) {
                addToAll(left++, bytes);
            }
            if ((right & 1) == 1) {
                addToAll(--right, bytes);
            }
            left >>= 1;
            right >>= 1;
            level++;
            begins = left << level == first ? 0 : left - 1;
            ends = right << level == end ? 0 : right;
            update(begins);
            update(ends);
        }
        while (begins != ends && begins > 0 && ends > 0) {
            begins >>= 1;
            ends >>= 1;
            update(begins);
            update(ends);
        }
        boolean changed = true;
        for (int at = Math.max(begins, ends) >> 1; changed && at > 0; at >>= 1) {
            changed = update(at);
        }
    }

    private void addToAll(int at, long bytes) {
        added[at] += bytes;
        largest[at] += bytes;
    }

    /** Whether the largest sum of an inner node has changed with those below it. */
    private boolean update(int at) {
        long before = largest[at];
        largest[at] = Math.max(largest[2 * at], largest[2 * at + 1]) + added[at];
        return largest[at] != before;
    }

    /** Largest sum over the steps from {@code from} up to, not including, {@code to}; very small if there is none. */
    public long largest(int from, int to) {
        return from < to ? largest(1, 0, leaves, from, to) : Long.MIN_VALUE / 2;
    }

    public long largest() {
        return largest[1];
    }

    /**
     * By how much the largest sums of equal parts of all steps exceed a limit, added up. Takes time in proportion to
     * the parts that do, of at most {@value #PARTS}.
     */
    public long excess(long limit) {
        return excess(1, 0, limit);
    }

    private long excess(int at, long addedAbove, long limit) {
        long most = largest[at] + addedAbove;
        if (most <= limit) {
            return 0;
        }
        if (at >= Math.min(PARTS, leaves)) {
            return most - limit;
        }
        long inside = addedAbove + added[at];
        return excess(2 * at, inside, limit) + excess(2 * at + 1, inside, limit);
    }

    /** The first step that has the largest sum. */
    public int peakStep() {
        int at = 1;
        while (at < leaves) {
            at = largest[2 * at] >= largest[2 * at + 1] ? 2 * at : 2 * at + 1;
        }
        return at - leaves;
    }

    private long largest(int at, int low, int high, int from, int to) {
        if (from <= low && high <= to) {
            return largest[at];
        }
        int middle = (low + high) / 2;
        long left = from < middle ? largest(2 * at, low, middle, from, to) : Long.MIN_VALUE / 2;
        long right = to > middle ? largest(2 * at + 1, middle, high, from, to) : Long.MIN_VALUE / 2;
        return Math.max(left, right) + added[at];
    }
}
