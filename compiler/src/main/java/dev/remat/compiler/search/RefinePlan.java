package dev.remat.compiler.search;

import dev.remat.compiler.plan.FoundPlans;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.local.Anneal;
import dev.remat.ir.plan.RematProblem;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Makes a plan cheaper that {@code auto} found: it is held against what searches came by on their way, whose gaps
 * between buffers may be smaller, and local search goes on from it.
 */
final class RefinePlan<C extends Candidate> {
    private static final int MOST_MEASURED = 8;
    /** The same with less than full effort. */
    private static final int MOST_MEASURED_SOON = 4;

    private static final int MOST_MEASURED_LARGE = 2;
    /** Measured before a plan is repaired. */
    private static final int MOST_NEARLY_AS_CHEAP = 3;
    /** A thousandth of the cost of everything once. */
    private static final int LITTLE = 1000;

    private static final int MOST_IMPROVED = 3;

    private final MeasuredPlans<C> plans;
    private final RematProblem problem;

    RefinePlan(MeasuredPlans<C> plans) {
        this.plans = plans;
        this.problem = plans.subject().problem();
    }

    /** The cheapest of those found that cost less and fit when they are laid out. */
    Fit<C> undercut(Fit<C> fit, FoundPlans found, PlannerOptions asked) {
        boolean large = problem.nodeCount() > SearchLimits.SEARCHED_EXACTLY;
        int small = asked.effort() == Effort.FULL ? MOST_MEASURED : MOST_MEASURED_SOON;
        int most = large ? MOST_MEASURED_LARGE : small;
        int measured = 0;
        for (Proposal proposal : cheaper(fit, found, asked)) {
            if (measured++ == most || asked.listener().expired()) {
                break;
            }
            C candidate = plans.measure(proposal);
            if (Fit.isWithin(candidate, asked)) {
                return new Fit<>(candidate, fit.tighteningRounds());
            }
        }
        return fit;
    }

    /** One of the cheapest found, or else of those measured, that fits and costs little more than the plan. */
    Optional<Fit<C>> nearlyAsCheap(Fit<C> fit, FoundPlans found, PlannerOptions asked) {
        long most = fit.plan().evaluation().cost() + little();
        Stream<C> measured = plans.all().stream()
                .filter(plan -> plan.evaluation().cost() < most)
                .sorted(Comparator.comparingLong(plan -> plan.evaluation().cost()));
        Stream<C> cheapest =
                found.cheaperThan(most).stream().limit(MOST_NEARLY_AS_CHEAP).map(plans::measure);
        return Stream.concat(cheapest, measured)
                .filter(candidate -> Fit.isWithin(candidate, asked))
                .findFirst()
                .map(candidate -> new Fit<>(candidate, 0));
    }

    private long little() {
        return problem.baselineCost() / LITTLE;
    }

    /** Those found that cost less, for a normal effort not just a little. */
    private List<Proposal> cheaper(Fit<C> fit, FoundPlans found, PlannerOptions asked) {
        long little = asked.effort() == Effort.NORMAL ? little() : 0;
        return found.cheaperThan(fit.isWithin(asked) ? fit.plan().evaluation().cost() - little : Long.MAX_VALUE);
    }

    /** The cheapest measured below a cost that fits by what is live alone. */
    private Optional<C> cheapestMissing(long budget, long cost) {
        return plans.all().stream()
                .filter(plan -> plan.bytes() > budget && plan.evaluation().peakBytes() <= budget)
                .filter(plan -> plan.evaluation().cost() < cost)
                .min(Comparator.comparingLong(plan -> plan.evaluation().cost()));
    }

    /**
     * Repairs the cheapest plan that misses the budget: local search goes on from it within what its gaps leave, then
     * within less where that does not fit, and within more where it does or costs more than the plan that is known,
     * while there is much to gain.
     */
    Fit<C> improved(Fit<C> fit, FoundPlans found, PlannerOptions asked) {
        long budget = asked.budgetBytes().getAsLong();
        long much = asked.effort() == Effort.NORMAL ? little() : 1;
        Optional<C> missing = cheapestMissing(budget, fit.plan().evaluation().cost() - much);
        boolean needless = switch (asked.effort()) {
            case QUICK -> true;
            case NORMAL -> missing.isEmpty() && cheaper(fit, found, asked).isEmpty();
            case FULL -> fit.tighteningRounds() == 0;
        };
        if (needless || !fit.isWithin(asked) || !problem.tiers().isEmpty()) {
            return fit;
        }
        C best = fit.plan();
        C start = missing.orElse(best);
        long gaps =
                missing.isEmpty() ? Math.max(0, best.bytes() - best.evaluation().peakBytes()) : start.bytes() - budget;
        long tooLittle = 0;
        OptionalLong sufficing = OptionalLong.empty();
        for (int round = 1; round <= MOST_IMPROVED && !asked.listener().expired(); round++) {
            C next = plans.ask(Anneal.from(start.sequence()), asked.within(Math.max(0, budget - gaps)));
            boolean dear = next.evaluation().cost() > best.evaluation().cost() - much;
            if (dear && round == 1) {
                break;
            }
            if (dear || Fit.isWithin(next, asked)) {
                best = dear ? best : next;
                sufficing = OptionalLong.of(gaps);
            } else {
                start = next;
                tooLittle = gaps;
                gaps += round * (next.bytes() - budget);
            }
            if (best.evaluation().cost() - start.evaluation().cost() < 2 * much) {
                break;
            }
            gaps = sufficing.isPresent() ? tooLittle + (sufficing.getAsLong() - tooLittle) / 2 : gaps;
        }
        return new Fit<>(best, fit.tighteningRounds());
    }
}
