package dev.remat.compiler.plan;

import java.util.OptionalLong;

/**
 * What a user may ask of a strategy.
 *
 * @param budgetBytes peak that the plan should not exceed; empty: as little memory as the strategy finds
 */
public record PlannerOptions(OptionalLong budgetBytes) {
    public PlannerOptions {
        if (budgetBytes.isPresent() && budgetBytes.getAsLong() < 0) {
            throw new IllegalArgumentException("the budget is negative: " + budgetBytes.getAsLong());
        }
    }

    /** Nothing asked. */
    public static PlannerOptions none() {
        return new PlannerOptions(OptionalLong.empty());
    }

    public static PlannerOptions withBudget(long bytes) {
        return new PlannerOptions(OptionalLong.of(bytes));
    }
}
