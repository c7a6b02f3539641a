package dev.remat.cli.check;

import dev.remat.runtime.check.PlanTrial;

/**
 * What came of one plan.
 *
 * @param name of the strategy, and the budget where there is one
 */
public record PlanFinding(String name, Outcome outcome) {
    /**
     * What a plan takes, does again and moves.
     *
     * @param movedBytes that a round stores below the arena and fetches again, together
     */
    public record Work(long arenaBytes, int kernels, int recomputedNodes, int recomputedDraws, long movedBytes) {}

    /** From a plan that ran to one that need not. */
    public sealed interface Outcome {
        /** @param difference from the plan that keeps everything, in words; empty where it gave the same bits */
        record Ran(Work work, PlanTrial trial, String difference) implements Outcome {}

        /** @param name of the plan that ran, step by step the same */
        record SamePlan(Work work, String name) implements Outcome {}

        /** @param smallestBytes the strategy's smallest plan, which does not fit the budget */
        record NoPlan(long smallestBytes) implements Outcome {}
    }

    /** Whether it is a plan of no more than so many bytes. */
    boolean isWithin(long bytes) {
        return switch (outcome) {
            case Outcome.Ran ran -> ran.work().arenaBytes() <= bytes;
            case Outcome.SamePlan same -> same.work().arenaBytes() <= bytes;
            case Outcome.NoPlan _ -> false;
        };
    }

    public boolean holds() {
        return !(outcome instanceof Outcome.Ran ran)
                || ran.difference().isEmpty() && ran.trial().usesTheArenaExactly();
    }
}
