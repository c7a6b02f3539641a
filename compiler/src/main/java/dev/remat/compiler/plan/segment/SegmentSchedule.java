package dev.remat.compiler.plan.segment;

import java.util.Arrays;

/**
 * How each segment of a forward gets back into memory for its backward: by running the forward again from a segment
 * whose inputs are there, or by staying there, in whole or in part, since the first forward or a run for a later
 * segment.
 */
public final class SegmentSchedule {
    private static final int NEVER = -1;
    private static final int FIRST_FORWARD = -2;

    private final int[] start;
    /** Per segment: the segment for whose sake it is run when it is kept. */
    private final int[] keptBy;
    /** Per segment: whether it stays as a whole. */
    private final boolean[] whole;
    /** Per value: whether it stays where its segment stays in part. */
    private final boolean[] some;

    private SegmentSchedule(int[] start, boolean[] some) {
        this.start = start;
        this.some = some;
        keptBy = new int[start.length];
        whole = new boolean[start.length];
        Arrays.fill(keptBy, NEVER);
        Arrays.setAll(start, segment -> segment);
        keepFromForward(start.length - 1, true);
    }

    /** Every segment from its own inputs but the last, which the backward begins with and so never leaves memory. */
    public static SegmentSchedule each(int segments) {
        return each(segments, new boolean[0]);
    }

    /** @param some per value whether it stays where its segment stays in part */
    public static SegmentSchedule each(int segments, boolean[] some) {
        return new SegmentSchedule(new int[segments], some);
    }

    /** Runs the forward from segment {@code from} for the sake of {@code segment}. */
    public void startAt(int segment, int from) {
        if (from < 0 || from > segment) {
            throw new IllegalArgumentException("segment " + segment + " cannot begin with segment " + from);
        }
        start[segment] = from;
    }

    /**
     * Keeps what the first forward makes of the segment.
     *
     * @param all the whole segment, else the values marked
     */
    public void keepFromForward(int segment, boolean all) {
        keptBy[segment] = FIRST_FORWARD;
        whole[segment] = all;
    }

    /** Keeps what the run for the sake of the later segment {@code target} makes of the segment. */
    public void keepFromReplay(int segment, int target, boolean all) {
        keptBy[segment] = target;
        whole[segment] = all;
    }

    boolean keptFromForward(int segment, int value) {
        return keptBy[segment] == FIRST_FORWARD && (whole[segment] || some[value]);
    }

    /** Also false of segment -1, which stands for what lies in no segment. */
    boolean keptFromReplay(int segment, int target, int value) {
        return segment >= 0 && target >= 0 && keptBy[segment] == target && (whole[segment] || some[value]);
    }

    /** Where the run for the segment begins: with itself where it stays, for what does not stay of it. */
    int start(int segment) {
        return start[segment];
    }

    int size() {
        return start.length;
    }
}
