package dev.remat.compiler.plan;

/**
 * From how many nodes on searches do less, in one table. Work a node is bounded by each search itself; these are the
 * sizes above which it would still be too much in all, or gain too little.
 */
public final class SearchLimits {
    /** Constraint programming over the whole problem, and waiting for a bound before it. */
    public static final int SOLVED_WHOLE = 400;
    /** A full search that is made again for less memory, where an arena exceeded the budget. */
    public static final int SEARCHED_IN_FULL_AGAIN = 400;
    /** Every stretch and limit of an eviction, instead of every other. */
    public static final int EVICTED_FINELY = 2_000;
    /** All strategies for several budgets and in another order, instead of the strongest; a beam search for orders. */
    public static final int ASKED_AROUND = 3_000;
    /** Exact search over windows, and holding {@code auto} against single strategies. */
    public static final int SEARCHED_EXACTLY = 5_000;
    /** Anything that takes several passes for a finer grid of limits, prices or budgets. */
    public static final int LARGE = 20_000;
    /** Nodes and edges together from which a quick search asks no more than what takes a few passes over them. */
    public static final long PASSED_ONCE = 200_000;

    private SearchLimits() {}
}
