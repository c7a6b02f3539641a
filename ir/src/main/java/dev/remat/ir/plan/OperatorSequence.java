package dev.remat.ir.plan;

import dev.remat.ir.diagnostic.Count;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The decision of a planner: which node of a {@link RematProblem} runs at which step. A recomputation of a node is a
 * recomputation. Memory and cost follow from the sequence alone; the retained values are there to explain it.
 */
public final class OperatorSequence {
    private final String strategy;
    private final int[] steps;
    private final List<RetainedValue> retained;

    /**
     * @param strategy name of the strategy that made it
     * @param steps indices of nodes
     * @param retained forward values kept for the backward, ascending; may be empty where nothing is to be explained
     */
    public OperatorSequence(String strategy, int[] steps, List<RetainedValue> retained) {
        this.strategy = strategy;
        this.steps = steps.clone();
        this.retained = List.copyOf(retained);
    }

    public String strategy() {
        return strategy;
    }

    /** Number of steps. */
    public int length() {
        return steps.length;
    }

    /** The node that runs at a step. */
    public int node(int step) {
        return steps[step];
    }

    public IntStream steps() {
        return Arrays.stream(steps);
    }

    public List<RetainedValue> retained() {
        return retained;
    }

    /** Whether two sequences take the same steps, whoever made them and why. */
    public boolean sameSteps(OperatorSequence other) {
        return Arrays.equals(steps, other.steps);
    }

    @Override
    public String toString() {
        return strategy + " (" + Count.of(steps.length, "step") + ")";
    }
}
