package dev.remat.compiler.layout;

import dev.remat.compiler.layout.FoundLayout.Method;
import dev.remat.compiler.layout.LayoutSearch.Outcome;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.plan.BufferLifetime;
import java.util.Arrays;
import java.util.List;

/**
 * Offsets at which no two buffers that are live together overlap, as low as can be found: greedy orders first, and
 * where these miss the largest live sum, complete search within capacities from there up to the best height. Whatever
 * is done is done again with more effort until the limits are met.
 *
 * <p>Deterministic where the listener does not end it.
 */
public final class LowestLayout {
    /** Comparisons of the first attempt at a capacity at least. */
    private static final long FIRST_ATTEMPT = 2_000_000;

    private static final int GROWTH = 4;
    /** Comparisons from which on a search is long, as those for a plan, of which there are many, are not. */
    private static final long LONG_SEARCH = 1_000_000_000;
    /** A layout within the lowest capacity ends a search: a long one tries for that as much as for all others. */
    private static final int LOWEST = 8;
    /** Comparisons of repairs before the second attempt. */
    private static final long MOST_REPAIR = 100_000_000;
    /** Capacities between which nothing is known are halved down to such a part of the height. */
    private static final long FINEST = 2000;

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
        work = greedy.work();
        boolean complete = CompleteSearch.affordable(intervals, limits.work());
        if (complete && unfinished()) {
            CompleteSearch search = new CompleteSearch(intervals);
            long effort = firstEffort();
            hope(effort);
            attempt(search, effort);
            repair(Math.min(MOST_REPAIR, (limits.work() - work) / 4));
            while (unfinished()) {
                effort = effort > limits.work() / GROWTH ? limits.work() : effort * GROWTH;
                attempt(search, effort);
            }
        } else {
            repair(Math.min(MOST_REPAIR, limits.work() - work));
        }
    }

    /** Tries what is hoped for beside all else, so that where that fails, nothing else is found than without hope. */
    private void hope(long effort) {
        if (limits.hoped() >= lowerBound && limits.hoped() < height) {
            listener.trying("complete search within " + limits.hoped());
            CompleteSearch search = new CompleteSearch(intervals);
            if (search.run(limits.hoped(), effort, limits.work() / 2, listener::expired) == Outcome.FOUND) {
                take(search.offsets(), Method.COMPLETE);
            }
        }
    }

    /** Enough to go straight for a layout, which takes a look at most sections for each buffer. */
    private long firstEffort() {
        long straight = (long) intervals.count() * intervals.steps / 2;
        return Math.max(FIRST_ATTEMPT, Math.min(straight, limits.work() / 2));
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
            greedy.repair(mostWork, listener::expired);
            work += greedy.work();
            take(greedy.offsets(), Method.REPAIR);
        }
    }

    /** Tries the least capacity that is not disproved, then halves what lies between those that fail and the height. */
    private void attempt(CompleteSearch search, long effort) {
        long low = lowerBound;
        long capacity = Math.max(lowerBound, limits.goal());
        while (unfinished() && low < height) {
            listener.trying("complete search within " + capacity);
            long begun = search.work();
            long most = capacity == lowerBound && limits.work() >= LONG_SEARCH ? LOWEST * effort : effort;
            Outcome outcome =
                    search.run(capacity, Math.min(most, limits.work() - work), limits.work() - work, listener::expired);
            work += search.work() - begun + 1;
            switch (outcome) {
                case FOUND -> take(search.offsets(), Method.COMPLETE);
                case IMPOSSIBLE -> lowerBound = Math.max(lowerBound, capacity + 1);
                case UNKNOWN -> {}
            }
            low = outcome == Outcome.FOUND ? low : capacity + 1;
            boolean close = height - low < height / FINEST;
            if (limits.goal() > 0 || outcome == Outcome.UNKNOWN && close) {
                return;
            }
            capacity = low + (height - 1 - low) / 2;
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
