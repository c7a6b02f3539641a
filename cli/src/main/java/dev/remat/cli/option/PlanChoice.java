package dev.remat.cli.option;

import dev.remat.cli.console.Excerpt;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.search.Budget;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A plan as users name it in one word: a model, and after an {@code @} a budget or a strategy.
 *
 * @param model a file
 */
public record PlanChoice(Path model, Optional<Planner> strategy, Optional<Budget> budget) {
    /** @throws IllegalArgumentException if what follows the last {@code @} is neither a budget nor a strategy */
    public static PlanChoice parse(String text) {
        int at = text.lastIndexOf('@');
        if (at <= 0 || Files.exists(Path.of(text))) {
            return new PlanChoice(Path.of(text), Optional.empty(), Optional.empty());
        }
        Path model = Path.of(text.substring(0, at));
        String how = text.substring(at + 1);
        Optional<Planner> strategy = strategy(how);
        return strategy.isPresent()
                ? new PlanChoice(model, strategy, Optional.empty())
                : new PlanChoice(model, Optional.empty(), Optional.of(budget(how)));
    }

    private static Optional<Planner> strategy(String name) {
        try {
            return Optional.of(Strategies.named(name));
        } catch (IllegalArgumentException e) {
            // Then it is a budget, or nothing.
            return Optional.empty();
        }
    }

    private static Budget budget(String text) {
        try {
            return BudgetConverter.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "'" + Excerpt.of(text) + "' after @ is neither a strategy nor a budget: " + e.getMessage(), e);
        }
    }
}
