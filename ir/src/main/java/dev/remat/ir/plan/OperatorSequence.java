package dev.remat.ir.plan;

import dev.remat.ir.diagnostic.Count;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The decision of a planner: which node of a {@link RematProblem} runs at which step, and where tiers lie below the
 * device, which value is moved. A repeat of a node is a recomputation. Memory, time and cost follow from the sequence
 * alone; the retained values are there to explain it.
 */
public final class OperatorSequence {
    private final String strategy;
    private final int[] steps;
    private final List<RetainedValue> retained;

    /**
     * @param strategy name of the strategy that made it
     * @param steps indices of nodes; {@link SequenceStep#code} tells what else a step can be
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

    /** Number of steps, transfers included. */
    public int length() {
        return steps.length;
    }

    /** The node that runs at a step; below zero where none does but a value is moved. */
    public int node(int step) {
        return steps[step];
    }

    /** Whether a node runs at the step. */
    public boolean runs(int step) {
        return steps[step] >= 0;
    }

    public SequenceStep step(int step) {
        return SequenceStep.of(steps[step]);
    }

    /** Whether any step moves a value. */
    public boolean movesValues() {
        return Arrays.stream(steps).anyMatch(step -> step < 0);
    }

    /** The nodes that run, in that order. */
    public IntStream nodes() {
        return steps().filter(step -> step >= 0);
    }

    /** What every step does, as numbers; nodes where nothing is moved. */
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
