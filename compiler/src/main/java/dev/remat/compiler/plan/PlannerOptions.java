package dev.remat.compiler.plan;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What a user may ask of a strategy.
 *
 * @param budgetBytes peak that the plan should not exceed; empty: as little memory as the strategy finds
 * @param segments number of segments for strategies that cut the forward into segments; empty: they choose
 */
public record PlannerOptions(OptionalLong budgetBytes, OptionalInt segments) {
    public PlannerOptions {
        if (budgetBytes.isPresent() && budgetBytes.getAsLong() < 0) {
            throw new IllegalArgumentException("the budget is negative: " + budgetBytes.getAsLong());
        }
        if (segments.isPresent() && segments.getAsInt() < 1) {
            throw new IllegalArgumentException("a forward has at least one segment, not " + segments.getAsInt());
        }
    }

    /** Nothing asked. */
    public static PlannerOptions none() {
        return new PlannerOptions(OptionalLong.empty(), OptionalInt.empty());
    }

    public PlannerOptions withBudget(long bytes) {
        return new PlannerOptions(OptionalLong.of(bytes), segments);
    }

    public PlannerOptions withSegments(int count) {
        return new PlannerOptions(budgetBytes, OptionalInt.of(count));
    }
}
