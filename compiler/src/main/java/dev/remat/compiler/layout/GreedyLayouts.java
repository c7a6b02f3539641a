package dev.remat.compiler.layout;

import dev.remat.compiler.layout.PlacementOrder.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Layouts by two greedy placements in several orders, then by the same again with the buffers that reached highest
 * moved ahead. Keeps the lowest.
 */
final class GreedyLayouts {
    /** Comparisons that all orders together may take where first fit is among them. */
    private static final long MOST_WORK = 200_000_000;

    private static final int MOST_ROUNDS = 200;
    /** Where there is no time for so many rounds of repairs of all orders, only so many of the best are repaired. */
    private static final int FEW_ROUNDS = 2;

    private static final int FEW_ORDERS = 2;

    /** @param height that it led to at first */
    private record Tried(PlacementOrder order, long height) {}

    private final Intervals intervals;
    private final long goal;
    private final List<Tried> orders = new ArrayList<>();
    private long[] best;
    private long height = Long.MAX_VALUE;
    private long work;

    /** @param goal height at which to stop */
    GreedyLayouts(Intervals intervals, long goal) {
        this.intervals = intervals;
        this.goal = goal;
        best = new long[intervals.count()];
    }

    /** Follows each order once. */
    void placeInEveryOrder(BooleanSupplier expired) {
        for (Method method : Method.values()) {
            for (Comparator<Integer> ranking : rankings(method)) {
                boolean late = !orders.isEmpty() && expired.getAsBoolean();
                if (height > goal && affordable(method) && !late) {
                    begin(new PlacementOrder(intervals, method, ranking));
                }
            }
        }
        if (height > goal && affordable(Method.FIRST_FIT) && LargeBuffers.areFew(intervals)) {
            long[] places = LargeBuffers.places(intervals);
            for (Comparator<Integer> ranking : aroundLarge()) {
                if (height > goal && !expired.getAsBoolean()) {
                    begin(new PlacementOrder(intervals, places, ranking));
                }
            }
        }
    }

    private void begin(PlacementOrder order) {
        orders.add(new Tried(order, place(order, true)));
    }

    /** Follows orders again, repaired, until that takes {@code mostWork} comparisons. */
    void repair(long mostWork, BooleanSupplier expired) {
        long begun = work;
        List<PlacementOrder> repaired = orders.stream()
                .sorted(Comparator.comparingLong(Tried::height))
                .limit(work < mostWork / FEW_ROUNDS ? orders.size() : FEW_ORDERS)
                .map(Tried::order)
                .toList();
        for (int round = 1; round < MOST_ROUNDS; round++) {
            for (PlacementOrder order : repaired) {
                if (height > goal && work - begun < mostWork && !expired.getAsBoolean()) {
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

    /** Small ones as they come, or those first that stay longest. */
    private List<Comparator<Integer>> aroundLarge() {
        Comparator<Integer> longest = Comparator.comparingInt(b -> -intervals.length(b));
        Comparator<Integer> first = Comparator.comparingInt(b -> intervals.lower[b]);
        return List.of(first.thenComparing(longest), longest.thenComparing(first));
    }

    /** By lifetime and area for nested lifetimes; by size, then by time, for chains of nearly equal buffers. */
    private List<Comparator<Integer>> rankings(Method method) {
        Comparator<Integer> longest = Comparator.comparingInt(b -> -intervals.length(b));
        Comparator<Integer> largest = Comparator.comparingLong(b -> -intervals.size[b]);
        Comparator<Integer> sizeClass = Comparator.comparingInt(b -> Long.numberOfLeadingZeros(intervals.size[b]) / 2);
        Comparator<Integer> first = Comparator.comparingInt(b -> intervals.lower[b]);
        Comparator<Integer> last = Comparator.comparingInt(b -> -intervals.upper[b]);
        Comparator<Integer> area = Comparator.comparingDouble(b -> -(double) intervals.size[b] * intervals.length(b));
        return switch (method) {
            case LOWEST_GAP ->
                List.of(
                        longest.thenComparing(first),
                        area,
                        longest.thenComparing(largest),
                        largest.thenComparing(longest),
                        sizeClass.thenComparing(longest).thenComparing(first));
            case FIRST_FIT ->
                List.of(
                        sizeClass.thenComparing(first).thenComparing(longest),
                        sizeClass.thenComparing(last).thenComparing(longest),
                        largest.thenComparing(longest),
                        area,
                        longest.thenComparing(first));
        };
    }

    /** Height of the layout. */
    private long place(PlacementOrder order, boolean promoteToTheFront) {
        Placement placement = order.place();
        long found = intervals.height(placement.offsets());
        work += placement.work();
        if (found < height) {
            best = placement.offsets();
            height = found;
        }
        order.promoteHighest(placement.offsets(), promoteToTheFront);
        return found;
    }

    long[] offsets() {
        return best;
    }

    long height() {
        return height;
    }

    long work() {
        return work;
    }
}
