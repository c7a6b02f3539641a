package dev.remat.compiler.search;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchLimits;
import java.util.Optional;
import java.util.function.Function;

/**
 * Asks a strategy for a plan within a budget, for less where the measure exceeds it, and for the smallest where nothing
 * fits. Since gaps between buffers go by chance, a full search whose plan does not fit is also held against quick ones.
 * Large problems are searched in full only once ({@link SearchLimits}).
 */
final class AskStrategy<C extends Candidate> {
    private static final int MOST_ROUNDS = 4;

    private final MeasuredPlans<C> plans;
    private final Function<Planner, C> smallest;

    /** @param smallest what a strategy finds without a budget */
    AskStrategy(MeasuredPlans<C> plans, Function<Planner, C> smallest) {
        this.plans = plans;
        this.smallest = smallest;
    }

    Fit<C> run(Planner planner, PlannerOptions asked) {
        int rounds = 0;
        Optional<C> found = Optional.empty();
        if (asked.budgetBytes().getAsLong() >= plans.subject().floor().bytes()) {
            Fit<C> fit = tightenByEffort(planner, asked);
            if (fit.isWithin(asked) || asked.listener().expired()) {
                return fit;
            }
            rounds = fit.tighteningRounds();
            found = Optional.of(fit.plan());
        }
        C least = smallest.apply(planner);
        return new Fit<>(found.filter(plan -> plan.bytes() <= least.bytes()).orElse(least), rounds);
    }

    private Fit<C> tightenByEffort(Planner planner, PlannerOptions asked) {
        boolean full = asked.effort() == Effort.FULL;
        boolean once = full && plans.subject().problem().nodeCount() > SearchLimits.SEARCHED_IN_FULL_AGAIN;
        Fit<C> fit = tighten(planner, asked, once ? 0 : MOST_ROUNDS);
        boolean gaps = fit.tighteningRounds() > 0
                || !fit.isWithin(asked) && fit.plan().proposal().fits(asked);
        return full && gaps && !asked.listener().expired()
                ? fit.orBetter(tighten(planner, asked.with(Effort.QUICK), MOST_ROUNDS), asked)
                : fit;
    }

    /** Asks for as much less as the plan takes too much, a bounded number of times. */
    private Fit<C> tighten(Planner planner, PlannerOptions options, int mostRounds) {
        long budget = options.budgetBytes().getAsLong();
        PlannerOptions asked = options;
        for (int round = 0; ; round++) {
            C plan = plans.ask(planner, asked);
            long less = asked.budgetBytes().getAsLong() - (plan.bytes() - budget);
            boolean hopeless = !plan.proposal().fits(asked)
                    || less < 0
                    || options.listener().expired();
            if (plan.bytes() <= budget || hopeless || round == mostRounds) {
                return new Fit<>(plan, round);
            }
            asked = options.within(less);
        }
    }
}
