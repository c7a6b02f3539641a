package dev.remat.compiler.plan;

import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;

/**
 * Bounds on the cost of every sequence within a budget, proven without trying any: see {@link GapCover}. In time
 * linear in the problem, so for problems of any size.
 */
public final class LowerBounds {
    private static final int QUICK_PASSES = 300;
    private static final int FULL_PASSES = 3000;
    /** Most gaps looked at in all passes together. */
    private static final long MOST_WORK = 400_000_000;

    private LowerBounds() {}

    /**
     * The highest bound found; at least the cost of every node once, which bounds every order. Every bound found is told
     * to the listener, since one of a wider scope may cover sequences that the highest says nothing about.
     *
     * @param options without a budget everything may stay in memory, and only repeats that pins ask for are certain
     */
    public static LowerBound of(RematProblem problem, PlannerOptions options) {
        List<LowerBound> bounds = new ArrayList<>();
        KnownOrder always = KnownOrder.always(problem);
        bounds.add(new LowerBound(cost(problem, always, options), BoundScope.ANY_ORDER));
        KnownOrder given = KnownOrder.given(problem);
        if (given.line().length > always.line().length) {
            bounds.add(new LowerBound(cost(problem, given, options), BoundScope.GIVEN_ORDER));
        }
        LowerBound highest = bounds.getFirst();
        for (LowerBound bound : bounds) {
            options.listener().proved(bound);
            highest = bound.cost() > highest.cost() ? bound : highest;
        }
        return highest;
    }

    private static long cost(RematProblem problem, KnownOrder order, PlannerOptions options) {
        GapCover cover = FindGaps.of(problem, order, options.budgetBytes().orElse(Long.MAX_VALUE / 2));
        if (cover.gaps().isEmpty() || options.budgetBytes().isEmpty()) {
            return cover.cost();
        }
        int passes = options.effort() == Effort.QUICK ? QUICK_PASSES : FULL_PASSES;
        passes = (int) Math.min(passes, MOST_WORK / cover.gaps().size());
        return cover.bound(GapPrices.find(cover, passes, options.listener()));
    }
}
