package dev.remat.ir.execution;

import java.util.List;

/**
 * Steps of a plan that run one after another, {@code times} times: a round for each micro-batch, or once.
 *
 * @param from index of the first step
 * @param to index behind the last
 * @param times rounds, at least 1
 */
public record Section(int from, int to, int times) {
    public Section {
        if (from < 0 || to < from || times < 1) {
            throw new IllegalArgumentException("steps " + from + " to " + to + ", " + times + " times");
        }
    }

    /** Whether {@code step} is one of its steps. */
    public boolean contains(int step) {
        return from <= step && step < to;
    }

    /** The same steps in two sections, of which {@code step} begins the second; itself if it is no step within. */
    public List<Section> cut(int step) {
        return from < step && step < to
                ? List.of(new Section(from, step, times), new Section(step, to, times))
                : List.of(this);
    }
}
