package dev.remat.compiler.layout;

import dev.remat.compiler.layout.FoundLayout.Method;
import dev.remat.compiler.layout.LayoutSearch.Outcome;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.plan.BufferLifetime;
import java.util.Arrays;
import java.util.List;

/**
 * Offsets at which no two buffers that are live together overlap, as low as can be found: greedy orders first, and
 * where these miss the largest live sum, search within capacities from there up to the best height. Whatever is done
 * is done again with more effort until the limits are met.
 *
 * <p>Deterministic where the listener does not end it.
 */
public final class LowestLayout {
    /** Comparisons of the first attempt at a capacity. */
    private static final long FIRST_ATTEMPT = 500_000;

    private static final int GROWTH = 4;
    /** Comparisons from which on a search is long, as those for a plan, of which there are many, are not. */
    private static final long LONG_SEARCH = 1_000_000_000;
    /** A layout within the lowest capacity ends a search: a long one tries for that as much as for all others. */
    private static final int LOWEST = 8;
    /** Comparisons of repairs before the second attempt. */
    private static final long MOST_REPAIR = 100_000_000;
    /** Capacities between which nothing is known are halved down to such a part of the height. */
    private static final long FINEST = 400;

    private final Intervals intervals;
    private final LayoutLimits limits;
    private final SearchListener listener;
    private final long liveSum;
    private final GreedyLayouts greedy;
    private long[] best;
    private long height;
    private long lowerBound;
    private Method foundBy = Method.GREEDY;
    private long work;

    private LowestLayout(Intervals intervals, LayoutLimits limits) {
        this.intervals = intervals;
        this.limits = limits;
        listener = limits.listener();
        liveSum = intervals.largestLiveSum();
        lowerBound = liveSum;
        greedy = new GreedyLayouts(intervals, Math.max(liveSum, limits.goal()));
    }

    /** @param buffers whose sizes are taken as they are, and whose offsets are aligned */
    public static FoundLayout find(List<BufferLifetime> buffers, LayoutLimits limits) {
        return find(Intervals.unrounded(buffers), limits);
    }

    public static FoundLayout find(Intervals intervals, LayoutLimits limits) {
        if (intervals.count() == 0) {
            return new FoundLayout(List.of(), 0, 0, 0, Method.GREEDY);
        }
        LowestLayout layout = new LowestLayout(intervals, limits);
        layout.search();
        return new FoundLayout(
                Arrays.stream(layout.best).boxed().toList(),
                layout.height,
                layout.liveSum,
                layout.lowerBound,
                layout.foundBy);
    }

    private void search() {
        listener.trying("greedy orders");
        greedy.placeInEveryOrder(listener::expired);
        best = greedy.offsets();
        height = greedy.height();
        if (!unfinished()) {
            return;
        }
        GradedSearch search = new GradedSearch(intervals, height, limits.work());
        if (search.isEmpty()) {
            repair(Math.min(MOST_REPAIR, limits.work()));
            return;
        }
        long effort = FIRST_ATTEMPT;
        hope(effort);
        attempt(search, effort);
        repair(Math.min(MOST_REPAIR, (limits.work() - work) / 4));
        while (unfinished()) {
            effort = effort > limits.work() / GROWTH ? limits.work() : effort * GROWTH;
            attempt(search, effort);
        }
    }

    /** Tries what is hoped for beside all else, so that where that fails, nothing else is found than without hope. */
    private void hope(long effort) {
        if (limits.hoped() >= lowerBound && limits.hoped() < height) {
            listener.trying("search within " + limits.hoped());
            GradedSearch search = new GradedSearch(intervals, height, limits.work());
            search.run(limits.hoped(), effort, limits.work() / 2, listener::expired);
            take(search);
        }
    }

    private boolean unfinished() {
        boolean open = limits.goal() == 0 || lowerBound <= limits.goal();
        return open && height > Math.max(lowerBound, limits.goal()) && work < mostWork() && !listener.expired();
    }

    /** What is as low as was hoped is made lower by little work alone. */
    private long mostWork() {
        return height <= limits.hoped() ? limits.work() / GROWTH : limits.work();
    }

    private void repair(long mostWork) {
        if (unfinished()) {
            listener.trying("repaired greedy orders");
            long begun = greedy.work();
            greedy.repair(mostWork, listener::expired);
            work += greedy.work() - begun;
            take(greedy.offsets(), Method.REPAIR);
        }
    }

    /** Tries the least capacity that is not disproved, then halves what lies between those that fail and the height. */
    private void attempt(GradedSearch search, long effort) {
        long low = lowerBound;
        long capacity = Math.max(lowerBound, limits.goal());
        while (unfinished() && low < height) {
            listener.trying("search within " + capacity);
            long begun = search.work();
            long most = capacity == lowerBound && limits.work() >= LONG_SEARCH ? LOWEST * effort : effort;
            Outcome outcome =
                    search.run(capacity, Math.min(most, limits.work() - work), limits.work() - work, listener::expired);
            work += search.work() - begun;
            take(search);
            if (outcome == Outcome.IMPOSSIBLE) {
                lowerBound = Math.max(lowerBound, capacity + 1);
            }
            low = outcome == Outcome.FOUND ? low : capacity + 1;
            boolean close = height - low < height / FINEST;
            if (limits.goal() > 0 || outcome == Outcome.UNKNOWN && close) {
                return;
            }
            capacity = low + (height - 1 - low) / 2;
        }
    }

    private void take(GradedSearch search) {
        if (search.offsets() != null) {
            take(search.offsets(), search.foundBy());
        }
    }

    private void take(long[] offsets, Method method) {
        long found = intervals.height(offsets);
        if (found < height) {
            best = offsets;
            height = found;
            foundBy = method;
        }
    }
}
