package dev.remat.compiler.memory;

import dev.remat.compiler.memory.PlacementOrder.Method;
import dev.remat.ir.plan.ArenaLayout;
import dev.remat.ir.plan.BufferLifetime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Gives every buffer a place in one arena such that no two that are live together overlap, and the arena is as low as
 * can be found: two greedy placements in several orders, then the same again with the buffers that reached highest
 * moved ahead. Ends as soon as the largest live sum is met. Buffers that live from first to last step, as parameters
 * do, lie at the bottom.
 *
 * <p>Deterministic; effort is bounded by counted work, not by time.
 */
public final class ArenaOffsets {
    /** Comparisons after which no further repair begins: about a second. */
    private static final long MOST_WORK = 200_000_000;
    private static final int MOST_ROUNDS = 200;

    private final Intervals intervals;
    private final long lowerBound;
    private final List<PlacementOrder> orders = new ArrayList<>();
    private long[] best;
    private long bestHeight = Long.MAX_VALUE;
    private long work;

    private ArenaOffsets(Intervals intervals) {
        this.intervals = intervals;
        lowerBound = intervals.largestLiveSum();
        best = new long[intervals.count()];
    }

    /** Lays out buffers; their sizes are rounded up to their alignment. */
    public static ArenaLayout layout(List<BufferLifetime> buffers) {
        if (buffers.isEmpty()) {
            return new ArenaLayout(List.of(), 0, 0);
        }
        ArenaOffsets arena = new ArenaOffsets(Intervals.of(buffers));
        arena.search();
        List<Long> offsets = Arrays.stream(arena.best).boxed().toList();
        return new ArenaLayout(offsets, arena.bestHeight, arena.lowerBound);
    }

    private void search() {
        for (Method method : Method.values()) {
            for (Comparator<Integer> ranking : rankings(method)) {
                if (bestHeight > lowerBound && affordable(method)) {
                    PlacementOrder order = new PlacementOrder(intervals, method, ranking);
                    orders.add(order);
                    place(order, true);
                }
            }
        }
        for (int round = 1; round < MOST_ROUNDS; round++) {
            for (PlacementOrder order : orders) {
                if (bestHeight > lowerBound && work < MOST_WORK) {
                    place(order, round % 2 == 0);
                }
            }
        }
    }

    /** First fit compares most pairs of buffers, so it is for smaller instances. */
    private boolean affordable(Method method) {
        long pairs = (long) intervals.count() * intervals.count() / 2;
        return method == Method.LOWEST_GAP || work + pairs < MOST_WORK;
    }

    /** By lifetime and area for nested lifetimes; by size, and within a size by time, for chains of equal buffers. */
    private List<Comparator<Integer>> rankings(Method method) {
        Comparator<Integer> longest = Comparator.comparingInt(b -> -intervals.length(b));
        Comparator<Integer> largest = Comparator.comparingLong(b -> -intervals.size[b]);
        Comparator<Integer> sizeClass = Comparator.comparingInt(b -> Long.numberOfLeadingZeros(intervals.size[b]) / 2);
        Comparator<Integer> first = Comparator.comparingInt(b -> intervals.lower[b]);
        Comparator<Integer> last = Comparator.comparingInt(b -> -intervals.upper[b]);
        Comparator<Integer> area = Comparator.comparingDouble(b -> -(double) intervals.size[b] * intervals.length(b));
        return switch (method) {
            case LOWEST_GAP -> List.of(
                    longest.thenComparing(first), area, longest.thenComparing(largest), largest.thenComparing(longest));
            case FIRST_FIT -> List.of(
                    sizeClass.thenComparing(first).thenComparing(longest),
                    sizeClass.thenComparing(last).thenComparing(longest),
                    largest.thenComparing(longest), area, longest.thenComparing(first));
        };
    }

    private void place(PlacementOrder order, boolean promoteToTheFront) {
        Placement placement = order.place();
        long height = intervals.height(placement.offsets());
        work += placement.work();
        if (height < bestHeight) {
            best = placement.offsets();
            bestHeight = height;
        }
        order.promoteHighest(placement.offsets(), promoteToTheFront);
    }
}
