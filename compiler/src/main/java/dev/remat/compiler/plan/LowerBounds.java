package dev.remat.compiler.plan;

import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.ir.plan.RematProblem;

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
        GapCover cover = GapCover.of(problem, options.budgetBytes().orElse(Long.MAX_VALUE / 2));
        LowerBound anyOrder = new LowerBound(cover.cost(), BoundScope.ANY_ORDER);
        options.listener().proved(anyOrder);
        if (cover.gaps().isEmpty() || options.budgetBytes().isEmpty()) {
            return anyOrder;
        }
        int passes = options.effort() == Effort.QUICK ? QUICK_PASSES : FULL_PASSES;
        passes = (int) Math.min(passes, MOST_WORK / cover.gaps().size());
        double[] prices = GapPrices.find(cover, passes, options.listener());
        LowerBound givenOrder = new LowerBound(cover.bound(prices), BoundScope.GIVEN_ORDER);
        if (givenOrder.cost() <= anyOrder.cost()) {
            return anyOrder;
        }
        options.listener().proved(givenOrder);
        return givenOrder;
    }
}
