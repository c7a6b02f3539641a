package dev.remat.compiler.search;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchLimits;

/**
 * Asks a strategy for a plan within a budget, and for less where the measure exceeds it. Since gaps between buffers go
 * by chance, a full search whose plan does not fit is also held against quick ones. Large problems are searched in full
 * only once ({@link SearchLimits}).
 */
final class AskStrategy<C extends Candidate> {
    private static final int MOST_ROUNDS = 4;
    /** Of the budget the second round asks for this part less, or more. */
    private static final long LEAST_PART = 1000;

    private final MeasuredPlans<C> plans;

    AskStrategy(MeasuredPlans<C> plans) {
        this.plans = plans;
    }

    /** A plan by a single strategy. */
    Fit<C> run(Planner planner, PlannerOptions asked) {
        boolean full = asked.effort() == Effort.FULL;
        boolean once = full && plans.subject().problem().nodeCount() > SearchLimits.SEARCHED_IN_FULL_AGAIN;
        Fit<C> fit = tighten(planner, asked, once ? 0 : MOST_ROUNDS);
        boolean gaps = fit.tighteningRounds() > 0
                || !fit.isWithin(asked) && fit.plan().proposal().fits(asked);
        return full && gaps && !asked.listener().expired()
                ? fit.orBetter(tighten(planner, asked.with(Effort.QUICK), MOST_ROUNDS), asked)
                : fit;
    }

    /** The same without a second search: the strategy is asked once, and then goes on from what it found. */
    Fit<C> repaired(Planner planner, PlannerOptions asked) {
        return repaired(plans.ask(planner, asked), planner, asked);
    }

    /** The same of what the strategy found. */
    Fit<C> repaired(C found, Planner planner, PlannerOptions asked) {
        return tighten(found, planner, asked, MOST_ROUNDS);
    }

    /** Whether there is a plan within the budget, from which a normal search of a small problem can go on as well. */
    boolean isAnswered(PlannerOptions options) {
        boolean small = plans.subject().problem().nodeCount() <= SearchLimits.SEARCHED_EXACTLY;
        boolean goesOn = small && options.effort() == Effort.NORMAL;
        return goesOn && plans.all().stream().anyMatch(plan -> Fit.isWithin(plan, options));
    }

    private Fit<C> tighten(Planner planner, PlannerOptions options, int mostRounds) {
        return tighten(plans.ask(planner, options), planner, options, mostRounds);
    }

    /**
     * Asks for as much less as the plan takes too much, a bounded number of times. What a plan misses the budget by may
     * be a gap that comes again with the next, or with the same: a strategy that begins anew is asked for a thousandth
     * less at least from the second round on, and twice as much each time, and for less than a plan holds at its peak
     * that came again.
     */
    private Fit<C> tighten(C found, Planner planner, PlannerOptions options, int mostRounds) {
        long budget = options.budgetBytes().getAsLong();
        PlannerOptions asked = options;
        C plan = found;
        long held = budget;
        for (int round = 0; ; round++) {
            long excess = plan.bytes() - budget;
            Planner onward = planner.onwardFrom(plan.sequence());
            boolean repairs = !onward.equals(planner);
            long least = repairs || round == 0 ? excess : Math.max(excess, budget / LEAST_PART << round - 1);
            long less = Math.min(asked.budgetBytes().getAsLong(), held) - least;
            boolean hopeless = !plan.proposal().fits(asked)
                    || less < 0
                    || options.listener().expired();
            if (plan.bytes() <= budget || hopeless || round == mostRounds) {
                return new Fit<>(plan, round);
            }
            // A search goes on from a repaired plan within what its gaps leave: let it fit soon, not closely.
            long spare = repairs && options.effort() != Effort.QUICK ? Math.min(excess, less / 2) : 0;
            asked = options.within(less - spare);
            C next = plans.ask(onward, asked);
            boolean same = !repairs && next.sequence().sameSteps(plan.sequence());
            held = same ? next.evaluation().peakBytes() : budget;
            plan = next;
            if (repairs && !plan.proposal().fits(asked) && !asked.listener().expired() && !isAnswered(options)) {
                plan = plans.ask(planner, asked.with(Effort.QUICK));
            }
        }
    }
}
