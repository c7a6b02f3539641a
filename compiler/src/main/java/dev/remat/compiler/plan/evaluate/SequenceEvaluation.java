package dev.remat.compiler.plan.evaluate;

import java.util.List;

/**
 * What a sequence costs, exactly.
 *
 * @param peakBytes largest number of bytes in use at a step, residents and workspace included
 * @param peakStep the first step that reaches it; -1 if the sequence has no steps or is invalid
 * @param liveBytes bytes in use at each step; empty if the sequence is invalid
 * @param cost of all steps and, once, of the residents; with tiers the time of the step, in which
 *     lanes run side by side
 * @param baselineCost of every node once
 * @param recomputations number of steps that compute a node again
 * @param violations what is wrong with the sequence; memory means nothing unless this is empty
 */
public record SequenceEvaluation(
        long peakBytes,
        int peakStep,
        long[] liveBytes,
        long cost,
        long baselineCost,
        int recomputations,
        List<String> violations) {
    public SequenceEvaluation {
        violations = List.copyOf(violations);
    }

    public boolean valid() {
        return violations.isEmpty();
    }

    /** Cost of the recomputations, and with tiers of what is waited for. */
    public long recomputedCost() {
        return cost - baselineCost;
    }

    /** Recomputed cost over baseline cost; zero where nothing costs anything. */
    public double overhead() {
        return baselineCost == 0 ? 0 : (double) recomputedCost() / baselineCost;
    }
}
