package dev.remat.compiler.layout;

import dev.remat.compiler.layout.Components.Component;
import dev.remat.compiler.layout.LayoutSearch.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Complete search within a capacity for each component on its own; remembers the lowest layout of each. */
final class CompleteSearch {
    private static final int MOST_BUFFERS = 20_000;
    /** Of the sums of live buffers over all sections. */
    private static final long MOST_LIVE = 4_000_000;
    /** Going straight for a layout looks at all buffers of a step for this part of them, or more. */
    private static final long STRAIGHT_PART = 8;

    /** A component's search, and the capacities that it is known to fit and not to. */
    private static final class Part {
        private final Component component;
        private final CapacitySearch search;
        private long fits = Long.MAX_VALUE;
        private long impossible = -1;
        private boolean hard;

        Part(Intervals intervals, Component component) {
            this.component = component;
            int[] buffers = component.buffers();
            int[] length = new int[buffers.length];
            for (int i = 0; i < length.length; i++) {
                length[i] = intervals.length(buffers[i]);
            }
            search = new CapacitySearch(new Sections(intervals, buffers), length);
        }
    }

    private final Intervals intervals;
    private final long[] offsets;
    private final List<Part> parts = new ArrayList<>();
    private long work;

    CompleteSearch(Intervals intervals) {
        this.intervals = intervals;
        offsets = new long[intervals.count()];
        for (Component component : Components.of(intervals, offsets)) {
            parts.add(new Part(intervals, component));
        }
    }

    /**
     * Whether there are few enough buffers for it.
     *
     * @param work comparisons that it may take, which going straight for a layout should not exceed
     */
    static boolean affordable(Intervals intervals, long work) {
        long live = 0;
        for (int b = 0; b < intervals.count(); b++) {
            live += intervals.length(b);
        }
        boolean few = intervals.count() <= MOST_BUFFERS && live <= MOST_LIVE;
        return few && intervals.squaresOfCounts() / STRAIGHT_PART <= work;
    }

    /**
     * Searches for a layout of every component within the capacity, those first that were hard before.
     *
     * @param mostWork comparisons that each may take, more where it goes straight for a layout
     * @param mostInAll comparisons that no more than one goes beyond
     */
    Outcome run(long capacity, long mostWork, long mostInAll, BooleanSupplier expired) {
        long end = work + mostInAll;
        parts.sort(Comparator.comparing(part -> !part.hard));
        Outcome all = Outcome.FOUND;
        for (Part part : parts) {
            Outcome outcome =
                    part.fits <= capacity ? Outcome.FOUND : run(part, capacity, mostWork, end - work, expired);
            if (outcome == Outcome.IMPOSSIBLE) {
                return outcome;
            }
            all = outcome == Outcome.UNKNOWN ? outcome : all;
        }
        return all;
    }

    private Outcome run(Part part, long capacity, long mostWork, long mostStraight, BooleanSupplier expired) {
        long base = part.component.base();
        if (capacity <= part.impossible || capacity < base) {
            return Outcome.IMPOSSIBLE;
        }
        long begun = part.search.work();
        Outcome outcome = part.search.run(capacity - base, mostWork, mostStraight, expired);
        work += part.search.work() - begun;
        switch (outcome) {
            case FOUND -> take(part);
            case IMPOSSIBLE -> part.impossible = capacity;
            case UNKNOWN -> part.hard = true;
        }
        return outcome;
    }

    private void take(Part part) {
        int[] buffers = part.component.buffers();
        part.fits = 0;
        for (int i = 0; i < buffers.length; i++) {
            int b = buffers[i];
            offsets[b] = part.component.base() + part.search.offset(i);
            part.fits = Math.max(part.fits, offsets[b] + intervals.size[b]);
        }
    }

    /** The layout of the capacity found last. */
    long[] offsets() {
        return offsets.clone();
    }

    long work() {
        return work;
    }
}
