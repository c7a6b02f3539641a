package dev.remat.compiler.layout;

import dev.remat.ir.plan.ArenaLayout;
import dev.remat.ir.plan.BufferLifetime;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Offsets of buffers in an arena in which others have theirs already: first fit in a few orders, the lowest kept. */
public final class LayoutAround {
    private LayoutAround() {}

    /**
     * @param buffers whose sizes are rounded up to their alignment
     * @param places offset of each that has one, else negative; those that have one and live together do not overlap
     */
    public static ArenaLayout find(List<BufferLifetime> buffers, long[] places) {
        Intervals intervals = Intervals.of(buffers);
        Comparator<Integer> longest = Comparator.comparingInt(b -> -intervals.length(b));
        Comparator<Integer> largest = Comparator.comparingLong(b -> -intervals.size[b]);
        Comparator<Integer> first = Comparator.comparingInt(b -> intervals.lower[b]);
        Comparator<Integer> area = Comparator.comparingDouble(b -> -(double) intervals.size[b] * intervals.length(b));
        long[] best = {};
        long height = Long.MAX_VALUE;
        for (Comparator<Integer> ranking :
                List.of(longest.thenComparing(first), area, largest.thenComparing(longest), first)) {
            int[] order = IntStream.range(0, intervals.count())
                    .boxed()
                    .sorted(ranking)
                    .mapToInt(Integer::intValue)
                    .toArray();
            long[] offsets = FirstFit.place(intervals, order, places).offsets();
            if (intervals.height(offsets) < height) {
                best = offsets;
                height = intervals.height(offsets);
            }
        }
        return new ArenaLayout(Arrays.stream(best).boxed().toList(), height, intervals.largestLiveSum());
    }
}
