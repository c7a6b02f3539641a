package dev.remat.compiler.search;

import dev.remat.compiler.plan.Planner;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a search is asked for.
 *
 * @param strategy empty: the one to take where the user names none
 * @param budget empty: as little as the strategy finds, or without a strategy the plan that keeps everything
 * @param proves whether to say how much better another plan could be
 */
public record Request(Optional<Planner> strategy, Optional<Budget> budget, boolean proves) {
    /** Of which nothing is proved. */
    public static Request unproven(Planner strategy, OptionalLong budgetBytes) {
        Optional<Budget> budget =
                budgetBytes.isPresent() ? Optional.of(new Budget.Bytes(budgetBytes.getAsLong())) : Optional.empty();
        return new Request(Optional.of(strategy), budget, false);
    }

    /** @throws BudgetException if there is a budget and no plan found fits it */
    public <C extends Candidate> Choice<C> of(BudgetSearch<C> search) {
        return proves
                ? search.run(strategy, budget)
                : search.unproven(
                        strategy.orElseThrow(),
                        budget.stream()
                                .mapToLong(share -> share.bytes(search.keepAll().bytes()))
                                .findFirst());
    }
}
