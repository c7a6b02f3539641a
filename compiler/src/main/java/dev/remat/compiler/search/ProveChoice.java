package dev.remat.compiler.search;

import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.ProvedBounds;
import dev.remat.compiler.plan.bound.LowerBounds;
import dev.remat.compiler.plan.evaluate.LiveTensors;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import java.util.OptionalLong;

/** Says how far from the best a plan may be at most, or why none fits. */
final class ProveChoice<C extends Candidate> {
    private final MeasuredPlans<C> plans;
    private final RematProblem problem;
    private final C keepAll;

    /** @param keepAll the plan that recomputes nothing but what pins ask for */
    ProveChoice(MeasuredPlans<C> plans, C keepAll) {
        this.plans = plans;
        this.problem = plans.subject().problem();
        this.keepAll = keepAll;
    }

    /** A plan that nothing is proven of, but that nobody computes less than everything once. */
    Choice<C> unproven(Fit<C> fit, PlannerOptions asked) {
        return choice(fit, asked, new LowerBound(problem.baselineCost(), BoundScope.ANY_ORDER));
    }

    /**
     * Bounds say nothing of a plan that fits though its peak, as strategies reckon, does not; and without a budget only
     * what pins ask for is certain.
     *
     * @param bounds that searches have proved, and will
     */
    Choice<C> run(Fit<C> fit, Planner planner, PlannerOptions asked, ProvedBounds bounds) {
        C plan = fit.plan();
        OptionalLong budget = asked.budgetBytes();
        boolean covered = budget.isPresent()
                ? plan.proposal().fits(asked)
                : keepAll.evaluation().recomputedCost() > 0;
        if (!covered) {
            return unproven(fit, asked);
        }
        if (plan.evaluation().recomputedCost() > 0 && !planner.provesBounds()) {
            asked.listener().trying("proving a lower bound");
            LowerBounds.of(problem, asked.with(Effort.QUICK), plan.evaluation().cost());
        }
        return choice(fit, asked, bounds.covering(problem, plan.sequence()));
    }

    private Choice<C> choice(Fit<C> fit, PlannerOptions asked, LowerBound bound) {
        return new Choice<>(
                fit.plan(),
                MeasuredPlan.of(keepAll),
                plans.subject().floor(),
                asked.budgetBytes(),
                plans.smallest().bytes(),
                bound,
                fit.tighteningRounds());
    }

    BudgetException infeasible(PlannerOptions asked) {
        C least = plans.smallest();
        List<LiveTensors.Tensor> tensors =
                LiveTensors.at(problem, least.sequence(), least.evaluation().peakStep());
        return new BudgetException(
                asked.budgetBytes().getAsLong(),
                plans.subject().floor(),
                least.bytes(),
                tensors,
                problem.tiers(),
                asked.listener().expired());
    }
}
