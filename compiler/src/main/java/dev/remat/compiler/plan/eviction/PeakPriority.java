package dev.remat.compiler.plan.eviction;

import dev.remat.compiler.plan.BestSequence;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.TimeIsUpException;
import dev.remat.compiler.plan.WorkBound;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.build.RemoveRecomputations;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.plan.evaluate.StorageReads;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

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

    /**
     * The question of a budget.
     *
     * @param large whether it tries less
     */
    private record Within(String strategy, OptionalLong budgetBytes, boolean large) {}

    /** That of limits from the floor up, which every budget that is missed comes to. */
    private record Climb(String strategy, boolean large) {}

    @Override
    public String name() {
        return "peak-priority";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        Within asked = new Within(name(), options.budgetBytes(), isLarge(problem, options));
        return options.answers()
                .of(problem, asked, options.listener(), () -> List.of(search(problem, options)))
                .getFirst()
                .sequence();
    }

    private Proposal search(RematProblem problem, PlannerOptions options) {
        BestSequence best = new BestSequence(problem, options);
        OperatorSequence all = new KeepAll().plan(problem, options);
        best.offer(new OperatorSequence(name(), all.steps().toArray(), all.retained()));
        long most = best.proposal().evaluation().peakBytes();
        Trials trials = new Trials(problem, options);
        if (options.budgetBytes().isPresent()) {
            long budget = options.budgetBytes().getAsLong();
            int step = trials.large ? 4 : problem.nodeCount() > SearchLimits.EVICTED_FINELY ? 2 : 1;
            Set<IntBuffer> tried = new LinkedHashSet<>();
            for (int i = 0; budget < most && i < LIMITS.length; i += step) {
                trials.within((long) (budget * LIMITS[i]), budget, tried).forEach(best::offer);
            }
        }
        if (!best.proposal().fits(options)) {
            options.answers()
                    .of(problem, new Climb(name(), trials.large), options.listener(), () -> trials.climb(most))
                    .forEach(best::offer);
        }
        return best.proposal();
    }

    private static boolean isLarge(RematProblem problem, PlannerOptions options) {
        int most = options.effort() == Effort.QUICK ? SearchLimits.SEARCHED_EXACTLY : SearchLimits.LARGE;
        return problem.nodeCount() > most;
    }

    /** Evictions by several weights. */
    private final class Trials {
        private final RematProblem problem;
        private final SearchListener listener;
        private final StorageReads reads;
        private final boolean large;

        Trials(RematProblem problem, PlannerOptions options) {
            this.problem = problem;
            listener = options.listener();
            reads = StorageReads.of(problem);
            large = isLarge(problem, options);
        }

        /**
         * By limits from the least that any plan needs up to what keeping everything takes: those than which none is
         * both as small and as cheap, which answer any budget.
         */
        List<Proposal> climb(long most) {
            List<Proposal> found = new ArrayList<>();
            long floor = Floor.of(problem).bytes();
            for (int i = 0; i <= LADDER; i += large ? 4 : 1) {
                long limit = floor + (long) ((most - floor) * (double) i * i / (LADDER * LADDER));
                for (Proposal each : within(limit, limit, new LinkedHashSet<>())) {
                    if (found.stream().noneMatch(known -> replaces(known, each))) {
                        found.removeIf(known -> replaces(each, known));
                        found.add(each);
                    }
                }
            }
            return found;
        }

        private static boolean replaces(Proposal one, Proposal other) {
            return one.evaluation().peakBytes() <= other.evaluation().peakBytes()
                    && one.evaluation().cost() <= other.evaluation().cost();
        }

        /**
         * Each sequence once; where time is up, those found until then.
         *
         * @param budget up to which evictions are taken back
         * @param tried what came of evictions for that budget
         */
        List<Proposal> within(long limit, long budget, Set<IntBuffer> tried) {
            List<Proposal> found = new ArrayList<>();
            int step = problem.nodeCount() > SearchLimits.EVICTED_FINELY ? 2 : 1;
            for (int i = 0; i < (large ? 1 : SIZES.length); i += step) {
                for (int j = 0; j < STRETCHES.length && !listener.expired(); j += step) {
                    EvictUnderPressure.Weights weights = new EvictUnderPressure.Weights(SIZES[i], STRETCHES[j]);
                    attempt(limit, budget, weights, tried).ifPresent(found::add);
                    listener.worked(WorkBound.pass(problem));
                }
            }
            return found;
        }

        /** Empty where other weights gave the same, or time is up. */
        private Optional<Proposal> attempt(
                long limit, long budget, EvictUnderPressure.Weights weights, Set<IntBuffer> tried) {
            try {
                OperatorSequence evicted = EvictUnderPressure.run(name(), problem, reads, limit, weights, listener);
                if (!tried.add(IntBuffer.wrap(evicted.steps().toArray()))) {
                    return Optional.empty();
                }
                Proposal proposal = Proposal.of(problem, evicted);
                return Optional.of(
                        proposal.evaluation().peakBytes() <= budget
                                ? Proposal.of(problem, RemoveRecomputations.run(problem, evicted, budget, listener))
                                : proposal);
            } catch (TimeIsUpException e) {
                return Optional.empty();
            }
        }
    }
}
