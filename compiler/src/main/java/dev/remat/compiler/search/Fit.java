package dev.remat.compiler.search;

import dev.remat.compiler.plan.PlannerOptions;

/**
 * What asking for a budget came to.
 *
 * @param plan within the budget, or the smallest found if none is
 * @param tighteningRounds times that less than the budget was asked for
 */
public record Fit<C extends Candidate>(C plan, int tighteningRounds) {
    /** Whether the plan is within the budget. */
    boolean isWithin(PlannerOptions asked) {
        return isWithin(plan, asked);
    }

    static boolean isWithin(Candidate plan, PlannerOptions asked) {
        return plan.bytes() <= asked.budgetBytes().getAsLong();
    }

    /** The cheaper of two within the budget, else the smaller; of equals this one. */
    Fit<C> orBetter(Fit<C> other, PlannerOptions asked) {
        if (!isWithin(asked) || !other.isWithin(asked)) {
            return other.plan.bytes() < plan.bytes() ? other : this;
        }
        return other.plan.evaluation().cost() < plan.evaluation().cost() ? other : this;
    }
}
