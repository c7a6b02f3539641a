package dev.remat.compiler.plan.exact;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Searches for cheaper recomputations of some nodes of a sequence while all else stays where it is.
 *
 * @param free nodes whose recomputations may be moved, added and dropped
 * @param stages in which they may be recomputed: stage s lies before the s-th first computation, the last one after all
 * @param most per free node the largest number of computations
 */
record RetentionSearch(RematProblem problem, OperatorSequence start, boolean[] free, boolean[] stages, int[] most) {
    /**
     * What came out.
     *
     * @param sequence the best that was found
     * @param closed whether nothing better is left
     * @param bound no sequence that differs only in what is free and fits the budget costs less; the largest long if
     *     none fits
     * @param exact whether all such sequences were looked at
     * @param size constraints times points of time, to which what precedes the search is about proportional
     * @param effort spent
     */
    record Result(
            Optional<OperatorSequence> sequence, boolean closed, long bound, boolean exact, long size, double effort) {}

    /** All nodes free, backward nodes only on demand, in all stages. */
    static RetentionSearch everywhere(RematProblem problem, OperatorSequence start, boolean[] free, int most) {
        boolean[] stages = new boolean[problem.nodeCount() + 1];
        Arrays.fill(stages, true);
        int[] mostOf = new int[problem.nodeCount()];
        Arrays.fill(mostOf, most);
        return new RetentionSearch(problem, start, free, stages, mostOf);
    }

    /**
     * Looks for a sequence within the budget of the options.
     *
     * @param below only for one that costs less
     * @param effort limit as of {@link ConstraintSolver#solve}
     */
    Result run(PlannerOptions options, OptionalLong below, double effort) {
        EventLine line = new EventLine(problem, start, free, stages);
        Surroundings around = new Surroundings(problem, start, line, free);
        RetentionModel model = new RetentionModel(
                problem, line, around, most, options.budgetBytes().orElseThrow());
        model.hint(start);
        below.ifPresent(cost -> model.costAtMost(cost - 1));
        ConstraintSolver.Outcome outcome = ConstraintSolver.solve(model.model(), effort, options.listener());
        Optional<OperatorSequence> found = outcome.solver().map(solver -> model.sequence(IntervalCp.NAME, solver));
        boolean refuted = outcome.closed() && found.isEmpty();
        long bound = refuted ? below.orElse(Long.MAX_VALUE) : model.constantCost() + outcome.bound();
        long size = (long) model.size() * around.times();
        return new Result(found, outcome.closed(), bound, model.exact(), size, outcome.effort());
    }
}
