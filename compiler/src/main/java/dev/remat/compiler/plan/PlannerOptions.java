package dev.remat.compiler.plan;

import java.util.Locale;
import java.util.OptionalLong;

/**
 * What a user may ask of a strategy.
 *
 * @param budgetBytes peak that the plan should not exceed; empty: as little memory as the strategy finds
 * @param effort how long to search
 * @param listener follows the search
 * @param answers what was found before
 */
public record PlannerOptions(OptionalLong budgetBytes, Effort effort, SearchListener listener, Answers answers) {
    /** How much work a search may take; counted, never timed. */
    public enum Effort {
        /** A second or two at a thousand nodes, for questions that are asked many times. */
        QUICK,
        /** Some three seconds at a thousand nodes on two cores, for whoever waits for the answer. */
        NORMAL,
        /** Half a minute at a thousand nodes on two cores: proves and polishes. */
        FULL;

        /** As users write it. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public PlannerOptions {
        if (budgetBytes.isPresent() && budgetBytes.getAsLong() < 0) {
            throw new IllegalArgumentException("the budget is negative: " + budgetBytes.getAsLong());
        }
    }

    /** Nothing asked. */
    public static PlannerOptions none() {
        return new PlannerOptions(OptionalLong.empty(), Effort.FULL, SearchListener.NONE, new Answers());
    }

    public static PlannerOptions withBudget(long bytes) {
        return none().within(bytes);
    }

    /**
     * The same with another budget; what is proved and found for less memory than this allows does not reach the
     * listener.
     */
    public PlannerOptions within(long bytes) {
        boolean tighter = budgetBytes.isPresent() && bytes < budgetBytes.getAsLong();
        SearchListener told = tighter ? listener.withoutProofs() : listener;
        return new PlannerOptions(OptionalLong.of(bytes), effort, told, answers);
    }

    public PlannerOptions with(Effort other) {
        return new PlannerOptions(budgetBytes, other, listener, answers);
    }

    /** The same that knows of nothing found before, and leaves nothing for later. */
    public PlannerOptions apart() {
        return new PlannerOptions(budgetBytes, effort, listener, new Answers());
    }

    /** The same with {@code other} following. */
    public PlannerOptions telling(SearchListener other) {
        return new PlannerOptions(budgetBytes, effort, other, answers);
    }
}
