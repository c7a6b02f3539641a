package dev.remat.compiler.plan.eviction;

import dev.remat.compiler.plan.BestSequence;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.build.RemoveRecomputations;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.evaluate.StorageReads;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;

/**
 * Evicts where memory runs out what is cheapest to compute again for its bytes and the stretch of steps without it,
 * then takes back the evictions that turn out not to be needed. Tries several weights of size and stretch and several
 * limits around the budget, since a value leaves memory at its last read and not only when room is needed.
 */
public final class PeakPriority implements Planner {
    private static final double[] SIZES = {1, 0.75, 0.5};
    private static final double[] STRETCHES = {0, 0.25, 0.5, 0.75, 1};
    private static final double[] LIMITS = {1, 1.015, 1.03, 1.05, 1.08, 1.15, 1.25};

    private static final int LADDER = 12;

    @Override
    public String name() {
        return "peak-priority";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        BestSequence best = new BestSequence(problem, options);
        OperatorSequence all = new KeepAll().plan(problem, options);
        long most = SequenceEvaluator.evaluate(problem, all).peakBytes();
        best.offer(new OperatorSequence(name(), all.steps().toArray(), all.retained()));
        StorageReads reads = StorageReads.of(problem);
        boolean large = isLarge(problem, options);
        if (options.budgetBytes().isPresent()) {
            long budget = options.budgetBytes().getAsLong();
            int step = large ? 4 : problem.nodeCount() > SearchLimits.EVICTED_FINELY ? 2 : 1;
            for (int i = 0; budget < most && i < LIMITS.length; i += step) {
                tryLimit(problem, reads, (long) (budget * LIMITS[i]), budget, options, best);
            }
        }
        if (!Proposal.of(problem, best.sequence()).fits(options)) {
            long floor = Floor.of(problem).bytes();
            for (int i = 0; i <= LADDER; i += large ? 4 : 1) {
                long limit = floor + (long) ((most - floor) * (double) i * i / (LADDER * LADDER));
                tryLimit(problem, reads, limit, limit, options, best);
            }
        }
        return best.sequence();
    }

    private static boolean isLarge(RematProblem problem, PlannerOptions options) {
        int most = options.effort() == Effort.QUICK ? SearchLimits.SEARCHED_EXACTLY : SearchLimits.LARGE;
        return problem.nodeCount() > most;
    }

    private void tryLimit(
            RematProblem problem,
            StorageReads reads,
            long limit,
            long budget,
            PlannerOptions options,
            BestSequence best) {
        SearchListener listener = options.listener();
        boolean large = isLarge(problem, options);
        int step = problem.nodeCount() > SearchLimits.EVICTED_FINELY ? 2 : 1;
        for (int i = 0; i < (large ? 1 : SIZES.length); i += step) {
            for (int j = 0; j < STRETCHES.length; j += step) {
                EvictUnderPressure.Weights weights = new EvictUnderPressure.Weights(SIZES[i], STRETCHES[j]);
                best.attempt(() -> RemoveRecomputations.run(
                        problem,
                        EvictUnderPressure.run(name(), problem, reads, limit, weights, listener),
                        budget,
                        listener));
            }
        }
    }
}
