package dev.remat.compiler.layout;

import java.util.Comparator;
import java.util.stream.IntStream;

/** An order of buffers together with the greedy method that follows it; learns from where its buffers ended up. */
public final class PlacementOrder {
    /** How an order is turned into offsets. */
    public enum Method {
        LOWEST_GAP,
        FIRST_FIT
    }

    private final Intervals intervals;
    private final Method method;
    private final int[] order;
    /** Offsets of the buffers that have theirs, else negative. */
    private final long[] places;

    /** Starts with buffers that live throughout, then goes by {@code ranking}, then by index. */
    public PlacementOrder(Intervals intervals, Method method, Comparator<Integer> ranking) {
        this(intervals, method, FirstFit.anywhere(intervals), ranking);
    }

    /** The same by first fit around buffers that have their places. */
    PlacementOrder(Intervals intervals, long[] places, Comparator<Integer> ranking) {
        this(intervals, Method.FIRST_FIT, places, ranking);
    }

    private PlacementOrder(Intervals intervals, Method method, long[] places, Comparator<Integer> ranking) {
        this.intervals = intervals;
        this.method = method;
        this.places = places;
        Comparator<Integer> throughoutFirst = Comparator.comparing(b -> intervals.length(b) < intervals.steps);
        order = IntStream.range(0, intervals.count())
                .boxed()
                .sorted(throughoutFirst.thenComparing(ranking))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    public Placement place() {
        return switch (method) {
            case LOWEST_GAP -> LowestGap.place(intervals, order);
            case FIRST_FIT -> FirstFit.place(intervals, order, places);
        };
    }

    /** Moves the buffer that reaches highest ahead: half the way to the front, every other time all of it. */
    void promoteHighest(long[] offsets, boolean toTheFront) {
        int highest = 0;
        for (int i = 1; i < order.length; i++) {
            highest = end(offsets, order[i]) > end(offsets, order[highest]) ? i : highest;
        }
        int target = toTheFront ? 0 : highest / 2;
        while (target < highest && intervals.length(order[target]) == intervals.steps) {
            target++;
        }
        int buffer = order[highest];
        System.arraycopy(order, target, order, target + 1, highest - target);
        order[target] = buffer;
    }

    private long end(long[] offsets, int buffer) {
        return offsets[buffer] + intervals.size[buffer];
    }
}
