package dev.remat.compiler.plan;

import java.util.Arrays;

/**
 * How each segment of a forward gets back into memory for its backward: by running the forward again from a segment
 * whose inputs are there, or by never leaving it.
 */
final class SegmentSchedule {
    private static final int KEPT_FROM_FORWARD = -1;
    private static final int KEPT_FROM_REPLAY = -2;

    private final int[] start;

    private SegmentSchedule(int[] start) {
        this.start = start;
    }

    /** Every segment from its own inputs but the last, which the backward begins with and so never leaves memory. */
    static SegmentSchedule each(int segments) {
        int[] start = new int[segments];
        Arrays.setAll(start, segment -> segment);
        SegmentSchedule schedule = new SegmentSchedule(start);
        schedule.keepFromForward(segments - 1);
        return schedule;
    }

    /** Runs the forward from segment {@code from} for the sake of {@code segment}. */
    void startAt(int segment, int from) {
        if (from < 0 || from > segment) {
            throw new IllegalArgumentException("segment " + segment + " cannot begin with segment " + from);
        }
        start[segment] = from;
    }

    /** Keeps what the first forward makes of the segment. */
    void keepFromForward(int segment) {
        start[segment] = KEPT_FROM_FORWARD;
    }

    /** Keeps what the run for a later segment makes of this one. */
    void keepFromReplay(int segment) {
        start[segment] = KEPT_FROM_REPLAY;
    }

    boolean keptFromForward(int segment) {
        return start[segment] == KEPT_FROM_FORWARD;
    }

    /** Also false of -1, which stands for what lies in no segment. */
    boolean keptFromReplay(int segment) {
        return segment >= 0 && start[segment] == KEPT_FROM_REPLAY;
    }

    /** Where the run for the segment begins: with itself where it is kept, for the few values that do not stay. */
    int start(int segment) {
        return start[segment] < 0 ? segment : start[segment];
    }

    int size() {
        return start.length;
    }
}
