package dev.remat.compiler.plan;

import dev.remat.ir.plan.RematProblem;

/**
 * Ends a trial after counted work, so that on every machine it ends at the same place. For a trial whose work is told
 * by one thread.
 */
public final class WorkBound extends ForwardingListener {
    /** Of a trial: about two seconds. */
    private static final long MOST = 4_000_000;
    /** Not fewer, for the first of them may find nothing. */
    private static final long LEAST_PASSES = 5;

    private long left;

    private WorkBound(SearchListener behind, long most) {
        super(behind);
        left = most;
    }

    /** Whether a few passes over the problem are all that the effort allows. */
    public static boolean applies(RematProblem problem, PlannerOptions options) {
        return options.effort() == PlannerOptions.Effort.QUICK && pass(problem) > SearchLimits.PASSED_ONCE;
    }

    /** The same for a trial that ends early where that {@link #applies}, and as they are elsewhere. */
    public static PlannerOptions on(RematProblem problem, PlannerOptions options) {
        return applies(problem, options)
                ? options.apart()
                        .telling(new WorkBound(options.listener(), Math.max(MOST, LEAST_PASSES * pass(problem))))
                : options;
    }

    /** Nodes and edges of a problem: what one pass over it takes. */
    public static long pass(RematProblem problem) {
        long size = problem.nodeCount();
        for (int n = 0; n < problem.nodeCount(); n++) {
            size += problem.inputCount(n);
        }
        return size;
    }

    @Override
    public void worked(long amount) {
        left -= amount;
        super.worked(amount);
    }

    @Override
    public boolean expired() {
        return left <= 0 || super.expired();
    }

    @Override
    public SearchListener halfOfRest() {
        return this;
    }
}
