package dev.remat.compiler;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Takes what a single strategy proposes where it costs less than {@code auto}'s plan and its arena fits.
 *
 * <p>Asked for less than the budget because an arena exceeded it, {@code auto} may come to cost more than a strategy
 * whose arena fits though it was asked for all of the budget. Large problems are left as they are.
 */
final class UndercutAuto {
    private static final int LARGE = 5_000;

    private UndercutAuto() {}

    /**
     * The cheapest proposal whose arena fits; {@code auto}'s if none costs less.
     *
     * @param nodes of the problem
     * @param auto a proposal whose arena fits
     * @param options with the whole budget
     * @param ask makes the proposals of single strategies
     * @param arenaBytes measures one; asked from the cheapest on until one fits
     */
    static Proposal run(
            int nodes,
            Proposal auto,
            PlannerOptions options,
            Function<PlannerOptions, List<Proposal>> ask,
            ToLongFunction<Proposal> arenaBytes) {
        if (nodes > LARGE || options.listener().expired()) {
            return auto;
        }
        long budget = options.budgetBytes().orElseThrow();
        return ask.apply(options).stream()
                .filter(single -> single.fits(options)
                        && single.evaluation().cost() < auto.evaluation().cost())
                .sorted(Comparator.comparingLong(single -> single.evaluation().cost()))
                .filter(single -> arenaBytes.applyAsLong(single) <= budget)
                .findFirst()
                .orElse(auto);
    }
}
