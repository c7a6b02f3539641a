package dev.remat.compiler.search;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.local.Anneal;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.ir.plan.RematProblem;

/**
 * Makes a plan cheaper that {@code auto} found for less than the budget, because an arena exceeded it: it is held
 * against what single strategies find for all of it, or, if the problem is large and was searched quickly, local search
 * goes on from it.
 */
final class RefinePlan<C extends Candidate> {
    private static final int MOST_IMPROVED = 2;

    private final MeasuredPlans<C> plans;
    private final RematProblem problem;

    RefinePlan(MeasuredPlans<C> plans) {
        this.plans = plans;
        this.problem = plans.subject().problem();
    }

    C run(C auto, PlannerOptions asked) {
        return improved(undercut(auto, asked), asked);
    }

    /**
     * What a single strategy proposes where it costs less and fits: {@code auto}, asked for less, may have come to cost
     * more than one that was asked for all of it.
     */
    private C undercut(C auto, PlannerOptions asked) {
        if (problem.nodeCount() > SearchLimits.SEARCHED_EXACTLY
                || asked.listener().expired()) {
            return auto;
        }
        PlannerOptions quick = asked.with(Effort.QUICK);
        return Strategies.all().stream()
                .map(single -> plans.subject().propose(single, quick))
                .filter(proposal -> proposal.fits(quick)
                        && proposal.evaluation().cost() < auto.evaluation().cost())
                .sorted(Proposal.bestFirst(quick))
                .map(plans::measure)
                .filter(candidate -> Fit.isWithin(candidate, asked))
                .findFirst()
                .orElse(auto);
    }

    /**
     * What local search makes of the plan of a large problem that was searched quickly for less than the budget: within
     * what the plan's own gaps leave of it, and if others take their place, once more within what those leave.
     */
    private C improved(C quick, PlannerOptions asked) {
        if (asked.effort() == Effort.QUICK
                || problem.nodeCount() <= SearchLimits.SEARCHED_IN_FULL_AGAIN
                || !problem.tiers().isEmpty()) {
            return quick;
        }
        long budget = asked.budgetBytes().getAsLong();
        long gaps = Math.max(0, quick.bytes() - quick.evaluation().peakBytes());
        for (int round = 0; round < MOST_IMPROVED && !asked.listener().expired(); round++) {
            C found = plans.ask(Anneal.from(quick.sequence()), asked.within(budget - gaps));
            if (found.evaluation().cost() >= quick.evaluation().cost()) {
                return quick;
            }
            if (Fit.isWithin(found, asked)) {
                return found;
            }
            gaps += found.bytes() - budget;
        }
        return quick;
    }
}
