package dev.remat.compiler.layout;

import dev.remat.ir.Alignment;
import java.util.Arrays;

/**
 * Buffers over as few sections of time as tell who meets whom: one for each largest set of buffers that are live
 * together. Sizes are divided by what divides them all, where alignments allow it.
 */
final class Sections {
    /** Of each buffer: its first section and the one after its last. */
    final int[] first;

    final int[] end;
    final long[] size;
    final long[] alignment;
    /** What sizes were divided by. */
    final long unit;
    /** Whether any sum of sizes is aligned for every buffer. */
    final boolean freelyStacked;
    /** Buffers of each section. */
    private final int[][] live;
    /** Those of them that no section before it has. */
    private final int[][] beginning;

    /** @param buffers some of the intervals, none of them of size zero */
    Sections(Intervals intervals, int[] buffers) {
        int n = buffers.length;
        first = new int[n];
        end = new int[n];
        size = new long[n];
        alignment = new long[n];
        int[] lower = new int[n];
        int[] upper = new int[n];
        for (int b = 0; b < n; b++) {
            lower[b] = intervals.lower[buffers[b]];
            upper[b] = intervals.upper[buffers[b]];
        }
        int sections = number(lower, upper, first, end);
        long common = 0;
        long strictest = 1;
        for (int b = 0; b < n; b++) {
            size[b] = intervals.size[buffers[b]];
            alignment[b] = intervals.alignment[buffers[b]];
            common = gcd(size[b], common);
            strictest = Math.max(strictest, alignment[b]);
        }
        freelyStacked = common % strictest == 0;
        unit = freelyStacked ? Math.max(1, common) : 1;
        for (int b = 0; b < n && freelyStacked; b++) {
            size[b] /= unit;
            alignment[b] = 1;
        }
        live = new int[sections][];
        beginning = new int[sections][];
        fill(sections);
    }

    /**
     * Numbers sections: one ends where a buffer ends and another has begun since the last section did.
     *
     * @param first receives the first section of each buffer
     * @param end receives the section after the last of each buffer
     * @return how many there are
     */
    static int number(int[] lower, int[] upper, int[] first, int[] end) {
        int n = lower.length;
        long[] events = new long[2 * n];
        for (int b = 0; b < n; b++) {
            events[2 * b] = (2L * lower[b] + 1) << 31 | b;
            events[2 * b + 1] = 2L * upper[b] << 31 | b;
        }
        Arrays.sort(events);
        int section = 0;
        boolean begun = false;
        for (long event : events) {
            int buffer = (int) event & Integer.MAX_VALUE;
            if ((event >>> 31 & 1) == 1) {
                first[buffer] = section;
                begun = true;
            } else {
                section += begun ? 1 : 0;
                begun = false;
                end[buffer] = section;
            }
        }
        return section;
    }

    private void fill(int sections) {
        int[] begun = new int[sections];
        int[] ended = new int[sections + 1];
        for (int b = 0; b < first.length; b++) {
            begun[first[b]]++;
            ended[end[b]]++;
        }
        int sum = 0;
        for (int s = 0; s < sections; s++) {
            sum += begun[s] - ended[s];
            live[s] = new int[sum];
            beginning[s] = new int[begun[s]];
        }
        int[] filled = new int[sections];
        for (int b = 0; b < first.length; b++) {
            beginning[first[b]][--begun[first[b]]] = b;
            for (int s = first[b]; s < end[b]; s++) {
                live[s][filled[s]++] = b;
            }
        }
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    int count() {
        return live.length;
    }

    int buffers() {
        return size.length;
    }

    /** The buffers of a section; callers may reorder them. */
    int[] live(int section) {
        return live[section];
    }

    /** The buffers of a section that are not of the one before it. */
    int[] beginning(int section) {
        return beginning[section];
    }

    int length(int buffer) {
        return end[buffer] - first[buffer];
    }

    boolean covers(int buffer, int section) {
        return first[buffer] <= section && section < end[buffer];
    }

    /** The first multiple of a buffer's alignment from {@code offset} on. */
    long aligned(long offset, int buffer) {
        return Alignment.up(offset, alignment[buffer]);
    }
}
