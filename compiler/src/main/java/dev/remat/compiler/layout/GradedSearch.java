package dev.remat.compiler.layout;

import dev.remat.compiler.layout.FoundLayout.Method;
import dev.remat.compiler.layout.LayoutSearch.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Search for a layout within a capacity from coarse to fine: {@link CoarseSearch} that leaves out many small buffers,
 * few and fewer, then {@link CompleteSearch}. The first that finds one ends it. Keeps the lowest layout.
 */
final class GradedSearch {
    private static final List<Long> PARTS = List.of(300L, 1000L, 3000L);
    /** Buffers up to which a coarse search need not leave out half of them. */
    private static final int FEW = 1000;
    /** Comparisons from which on a coarse search finds little more. */
    private static final long MOST_COARSE = 8_000_000;
    /** Comparisons by which what is found is put together at most. */
    private static final long MOST_FIRST_FIT = 200_000_000;
    /** Going straight for a layout may take such a part of all comparisons; complete search waits for as much. */
    private static final long STRAIGHT_PART = 4;

    private final Intervals intervals;
    private final long mostWork;
    private final List<CoarseSearch> coarse = new ArrayList<>();
    /** Null where there are too many buffers for it. */
    private final CompleteSearch complete;

    private long[] best;
    private long height = Long.MAX_VALUE;
    private Method foundBy;
    private long work;

    /**
     * @param height of a layout, above which no capacity is asked for
     * @param mostWork comparisons that all of it may take
     */
    GradedSearch(Intervals intervals, long height, long mostWork) {
        this.intervals = intervals;
        this.mostWork = mostWork;
        long firstFit = (long) intervals.count() * intervals.count() / 2;
        for (long part : firstFit <= Math.min(mostWork / STRAIGHT_PART, MOST_FIRST_FIT) ? PARTS : List.<Long>of()) {
            CoarseSearch search = new CoarseSearch(intervals, height, part);
            boolean more =
                    search.count() > (coarse.isEmpty() ? 0 : coarse.getLast().count());
            boolean few = search.count() <= FEW || search.count() <= intervals.count() / 2;
            if (more && few && search.affordable(mostWork)) {
                coarse.add(search);
            }
        }
        complete = CompleteSearch.affordable(intervals, mostWork) ? new CompleteSearch(intervals) : null;
    }

    /** Whether there are too many buffers for any search. */
    boolean isEmpty() {
        return coarse.isEmpty() && complete == null;
    }

    /**
     * Searches within the capacity.
     *
     * @param effort comparisons that each search may take, more where it goes straight for a layout
     * @param mostInAll comparisons that are not exceeded by much
     */
    Outcome run(long capacity, long effort, long mostInAll, BooleanSupplier expired) {
        long end = work + mostInAll;
        for (CoarseSearch search : coarse) {
            long begun = search.work();
            if (work < end && search.run(capacity, effort(effort, search), end - work, expired)) {
                take(search.offsets(), Method.COARSE);
            }
            work += search.work() - begun;
            if (height <= capacity) {
                return Outcome.FOUND;
            }
        }
        return complete == null || work >= end ? Outcome.UNKNOWN : runCompletely(capacity, effort, end - work, expired);
    }

    private long effort(long effort, CoarseSearch search) {
        return Math.max(Math.min(effort, MOST_COARSE), Math.min(search.straight() / 2, mostWork / STRAIGHT_PART));
    }

    private Outcome runCompletely(long capacity, long effort, long most, BooleanSupplier expired) {
        long straight = (long) intervals.count() * intervals.steps / 2;
        if (straight / STRAIGHT_PART > effort && !coarse.isEmpty()) {
            work++;
            return Outcome.UNKNOWN;
        }
        long begun = complete.work();
        long own = Math.max(effort, Math.min(straight, mostWork / STRAIGHT_PART));
        Outcome outcome = complete.run(capacity, own, most, expired);
        work += complete.work() - begun + 1;
        if (outcome == Outcome.FOUND) {
            take(complete.offsets(), Method.COMPLETE);
        }
        return outcome;
    }

    private void take(long[] offsets, Method method) {
        long found = intervals.height(offsets);
        if (found < height) {
            best = offsets;
            height = found;
            foundBy = method;
        }
    }

    /** The lowest layout found so far; null if none is. */
    long[] offsets() {
        return best;
    }

    /** Of that layout. */
    Method foundBy() {
        return foundBy;
    }

    long work() {
        return work;
    }
}
