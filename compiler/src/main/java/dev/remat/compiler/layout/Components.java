package dev.remat.compiler.layout;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What of a layout can be searched for on its own: buffers fall apart at times at which none is live, and one that
 * lives as long as all of its component may as well lie at its bottom; without it the component may fall apart again.
 */
final class Components {
    /** Comparisons after which what is left stays whole; nested lifetimes lose but one buffer at a time. */
    private static final long MOST_WORK = 20_000_000;

    /**
     * Buffers that are live together, if not all with one another, and the offset above which they lie.
     *
     * @param buffers by first step
     */
    record Component(int[] buffers, long base) {}

    private final Intervals intervals;
    private final boolean freelyStacked;
    private final long[] offsets;
    private final List<Component> whole = new ArrayList<>();
    private final Deque<Component> waiting = new ArrayDeque<>();
    private long work;

    private Components(Intervals intervals, long[] offsets) {
        this.intervals = intervals;
        this.offsets = offsets;
        int[] sorted = IntStream.range(0, intervals.count())
                .filter(b -> intervals.size[b] > 0)
                .boxed()
                .sorted(Comparator.comparingInt(b -> intervals.lower[b]))
                .mapToInt(Integer::intValue)
                .toArray();
        freelyStacked = new Sections(intervals, sorted).freelyStacked;
        waiting.push(new Component(sorted, 0));
    }

    /** @param offsets receives those of the buffers that are in no component */
    static List<Component> of(Intervals intervals, long[] offsets) {
        Components components = new Components(intervals, offsets);
        while (!components.waiting.isEmpty()) {
            components.divide(components.waiting.pop());
        }
        return components.whole;
    }

    private void divide(Component component) {
        int[] buffers = component.buffers();
        work += buffers.length;
        int from = 0;
        while (from < buffers.length) {
            int end = intervals.upper[buffers[from]];
            int to = from + 1;
            while (to < buffers.length && intervals.lower[buffers[to]] < end) {
                end = Math.max(end, intervals.upper[buffers[to]]);
                to++;
            }
            settle(IntStream.range(from, to).map(i -> buffers[i]).toArray(), end, component.base());
            from = to;
        }
    }

    private void settle(int[] buffers, int end, long base) {
        int begin = intervals.lower[buffers[0]];
        long top = base;
        List<Integer> rest = new ArrayList<>();
        for (int b : buffers) {
            if (freelyStacked && intervals.lower[b] == begin && intervals.upper[b] == end) {
                offsets[b] = top;
                top += intervals.size[b];
            } else {
                rest.add(b);
            }
        }
        if (rest.isEmpty()) {
            return;
        }
        Component left = new Component(rest.stream().mapToInt(Integer::intValue).toArray(), top);
        if (rest.size() == buffers.length || work > MOST_WORK) {
            whole.add(left);
        } else {
            waiting.push(left);
        }
    }
}
