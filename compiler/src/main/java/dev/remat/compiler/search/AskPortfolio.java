package dev.remat.compiler.search;

import dev.remat.compiler.plan.FoundPlans;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.ProvedBounds;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.bound.LowerBounds;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.compiler.plan.order.Reorder;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Asks {@code auto} in stages, so that there is a plan that fits from the first moment on, and whatever ends early
 * leaves what was found before: a single strategy first, then the portfolio, with full effort after a quick one.
 * After each stage the cheapest that fits counts.
 */
final class AskPortfolio<C extends Candidate> {
    /** Follows a budget byte by byte on any graph, at once. */
    private static final Planner FIRST = new PeakPriority();

    private final MeasuredPlans<C> plans;
    private final AskStrategy<C> ask;
    private final RefinePlan<C> refine;

    AskPortfolio(MeasuredPlans<C> plans, AskStrategy<C> ask) {
        this.plans = plans;
        this.ask = ask;
        refine = new RefinePlan<>(plans);
    }

    /** Up to some thousand nodes a quick search comes before a full one, unless that begins with it. */
    Fit<C> run(Planner auto, PlannerOptions options) {
        int nodes = plans.subject().problem().nodeCount();
        FoundPlans found = new FoundPlans(options);
        ProvedBounds bounds = new ProvedBounds(found);
        PlannerOptions asked = options.telling(bounds);
        PlannerOptions quick = asked.with(Effort.QUICK);

        List<Supplier<Fit<C>>> stages = new ArrayList<>();
        boolean inRounds = nodes <= SearchLimits.ASKED_AROUND
                && Reorder.pays(plans.subject().problem());
        if (nodes <= SearchLimits.LARGE && !inRounds) {
            stages.add(() -> ask.repaired(first(asked), quick));
        }
        if (asked.effort() == Effort.FULL && nodes <= SearchLimits.SEARCHED_EXACTLY && !inRounds) {
            stages.add(() -> ask.repaired(auto, quick));
        }
        stages.add(() ->
                asked.effort() == Effort.NORMAL ? orNearlyAsCheap(auto, found, asked) : ask.repaired(auto, asked));
        Fit<C> fit = refine.undercut(stages.getFirst().get(), found, asked);
        if (asked.effort() == Effort.NORMAL && stages.size() > 1 && isNearlyBest(fit, bounds, quick)) {
            return fit;
        }
        for (int i = 1; i < stages.size() && !done(fit, bounds, asked); i++) {
            fit = refine.undercut(fit.orBetter(stages.get(i).get(), asked), found, asked);
        }
        return done(fit, bounds, asked) ? fit : refine.improved(fit, found, asked);
    }

    /** Whether a bound found at once leaves {@code auto} nothing to find that is worth the time, in any order. */
    private boolean isNearlyBest(Fit<C> fit, ProvedBounds bounds, PlannerOptions asked) {
        RematProblem problem = plans.subject().problem();
        if (!fit.isWithin(asked) || !problem.tiers().isEmpty()) {
            return false;
        }
        LowerBounds.ofPrices(problem, asked.telling(bounds));
        return bounds.closesAnyOrder(problem, fit.plan().evaluation().cost());
    }

    /**
     * What {@code auto} finds, repaired unless something that costs hardly more fits as it is, or it is refined in the
     * end from another plan that fits.
     */
    private Fit<C> orNearlyAsCheap(Planner auto, FoundPlans found, PlannerOptions asked) {
        Fit<C> fit = new Fit<>(plans.ask(auto, asked), 0);
        if (fit.isWithin(asked)) {
            return fit;
        }
        boolean refined = plans.subject().problem().tiers().isEmpty() && ask.isAnswered(asked);
        return refine.nearlyAsCheap(fit, found, asked)
                .orElseGet(() -> refined ? fit : ask.repaired(fit.plan(), auto, asked));
    }

    /** In the order where a large problem needs least, if that is much less. */
    private Planner first(PlannerOptions asked) {
        return Reorder.ofLarge(plans.subject().problem(), asked.listener())
                .map(order -> order.asking(FIRST))
                .orElse(FIRST);
    }

    /** Whether nothing cheaper exists, for a normal effort nothing that is worth the time, or nobody waits for it. */
    private boolean done(Fit<C> fit, ProvedBounds bounds, PlannerOptions asked) {
        boolean closed = fit.isWithin(asked)
                && bounds.closes(plans.subject().problem(), fit.plan().proposal(), asked.effort());
        return closed || asked.listener().expired();
    }
}
