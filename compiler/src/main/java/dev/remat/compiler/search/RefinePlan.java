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

    private static final int MOST_NARROWED = 2;

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

    /**
     * What local search makes of a plan that had to be tightened, where others cost less: within what the plan's own
     * gaps leave of the budget, and if others take their place, again within what those leave, in the end by far.
     */
    Fit<C> improved(Fit<C> fit, FoundPlans found, PlannerOptions asked) {
        C known = fit.plan();
        boolean needless = switch (asked.effort()) {
            case QUICK -> true;
            case NORMAL -> cheaper(fit, found, asked).isEmpty();
            case FULL -> fit.tighteningRounds() == 0;
        };
        if (needless || !fit.isWithin(asked) || !problem.tiers().isEmpty()) {
            return fit;
        }
        long budget = asked.budgetBytes().getAsLong();
        long gaps = Math.max(0, known.bytes() - known.evaluation().peakBytes());
        long tooLittle = gaps;
        C start = known;
        for (int round = 0; round < MOST_IMPROVED && !asked.listener().expired(); round++) {
            C better = plans.ask(Anneal.from(start.sequence()), asked.within(budget - gaps));
            if (better.evaluation().cost() >= known.evaluation().cost()) {
                return fit;
            }
            if (Fit.isWithin(better, asked)) {
                C narrowed = round == 0 ? better : narrowed(start, tooLittle, better, gaps, asked);
                return new Fit<>(narrowed, fit.tighteningRounds());
            }
            if (asked.effort() == Effort.NORMAL
                    && better.evaluation().cost() >= known.evaluation().cost() - little()) {
                return fit;
            }
            tooLittle = gaps;
            gaps += (round + 1) * (better.bytes() - budget);
            start = better;
        }
        return fit;
    }

    /**
     * The same between gaps that were too little for one plan and gaps that sufficed for another, while it costs much
     * more.
     */
    private C narrowed(C missing, long tooLittle, C fitting, long sufficing, PlannerOptions asked) {
        long budget = asked.budgetBytes().getAsLong();
        C start = missing;
        C best = fitting;
        long low = tooLittle;
        long high = sufficing;
        for (int round = 0; round < MOST_NARROWED && !asked.listener().expired(); round++) {
            if (best.evaluation().cost() - start.evaluation().cost() < MOST_NARROWED * little()) {
                break;
            }
            long middle = low + (high - low) / 2;
            C next = plans.ask(Anneal.from(start.sequence()), asked.within(budget - middle));
            if (Fit.isWithin(next, asked)) {
                best = next.evaluation().cost() < best.evaluation().cost() ? next : best;
                high = middle;
            } else {
                start = next;
                low = middle;
            }
        }
        return best;
    }
}
