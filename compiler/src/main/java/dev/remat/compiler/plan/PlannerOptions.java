package dev.remat.compiler.plan;

import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * What a user may ask of a strategy.
 *
 * @param budgetBytes peak that the plan should not exceed; empty: as little memory as the strategy finds
 * @param progress is told in a few words what is being tried
 */
public record PlannerOptions(OptionalLong budgetBytes, Consumer<String> progress) {
    public PlannerOptions {
        if (budgetBytes.isPresent() && budgetBytes.getAsLong() < 0) {
            throw new IllegalArgumentException("the budget is negative: " + budgetBytes.getAsLong());
        }
    }

    /** Nothing asked. */
    public static PlannerOptions none() {
        return new PlannerOptions(OptionalLong.empty(), what -> {});
    }

    public static PlannerOptions withBudget(long bytes) {
        return new PlannerOptions(OptionalLong.of(bytes), what -> {});
    }

    /** The same, telling {@code listener} what is being tried. */
    public PlannerOptions telling(Consumer<String> listener) {
        return new PlannerOptions(budgetBytes, listener);
    }
}
