package dev.remat.compiler.plan.segment;

import java.util.Arrays;

/**
 * How each segment of a forward gets back into memory for its backward: by running the forward again from a segment
 * whose inputs are there. The last never leaves memory, for the backward begins with it.
 */
public final class SegmentSchedule {
    private final int[] start;

    private SegmentSchedule(int[] start) {
        this.start = start;
        Arrays.setAll(start, segment -> segment);
    }

    /** Every segment from its own inputs. */
    static SegmentSchedule each(int segments) {
        return new SegmentSchedule(new int[segments]);
    }

    /** Runs the forward from segment {@code from} for the sake of {@code segment}. */
    void startAt(int segment, int from) {
        if (from < 0 || from > segment) {
            throw new IllegalArgumentException("segment " + segment + " cannot begin with segment " + from);
        }
        start[segment] = from;
    }

    boolean isLast(int segment) {
        return segment == start.length - 1;
    }

    /** Where the run for the segment begins. */
    int start(int segment) {
        return start[segment];
    }
}
