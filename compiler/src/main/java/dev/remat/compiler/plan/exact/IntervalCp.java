package dev.remat.compiler.plan.exact;

import dev.remat.compiler.plan.BestSequence;
import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * The optimum for the given order by constraint programming over retention intervals, one for each computation of a
 * node (after Bartan et al., 2023, MOCCASIN): first with two computations a node, then with three and four until
 * another one does not help. Starts from what {@link PeakPriority} finds, and answers that where a problem is too
 * large.
 *
 * <p>Tells the listener what it proves of sequences in the given order.
 */
public final class IntervalCp implements Planner {
    static final String NAME = "interval-cp";
    private static final int MOST_COMPUTATIONS = 4;
    /** Up to so many nodes bounds are proven: for that, backward nodes must be free as well. */
    private static final int PROVABLE = 120;

    private static final double FULL_EFFORT = 2;
    /** Of what is asked for by name, and of what goes on from the finds of others. */
    private static final double EFFORT = 0.5;

    private static final double FURTHER_EFFORT = 0.2;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        OperatorSequence start = new PeakPriority().plan(problem, options);
        OperatorSequence named = new OperatorSequence(NAME, start.steps().toArray(), start.retained());
        return improve(problem, named, options, EFFORT);
    }

    /**
     * A sequence that costs no more than {@code start} if that fits the budget, and otherwise one that fits if any was
     * found; {@code start} itself where there is nothing to gain or the problem is too large.
     */
    public static OperatorSequence improve(RematProblem problem, OperatorSequence start, PlannerOptions options) {
        return improve(problem, start, options, FURTHER_EFFORT);
    }

    private static OperatorSequence improve(
            RematProblem problem, OperatorSequence start, PlannerOptions options, double effort) {
        Proposal proposal = Proposal.of(problem, start);
        boolean needed = options.budgetBytes().isPresent()
                && (!proposal.fits(options) || proposal.evaluation().recomputations() > 0);
        boolean possible = needed && problem.nodeCount() <= SearchLimits.SOLVED_WHOLE;
        double most = options.effort() == PlannerOptions.Effort.FULL ? FULL_EFFORT : effort;
        return possible ? search(problem, options, start, most) : start;
    }

    private static OperatorSequence search(
            RematProblem problem, PlannerOptions options, OperatorSequence start, double mostEffort) {
        BestSequence best = new BestSequence(problem, options);
        best.offer(start);
        double effort = mostEffort;
        boolean backwardToo = problem.nodeCount() <= PROVABLE;
        boolean updates = false;
        boolean[] free = new boolean[problem.nodeCount()];
        for (int n = 0; n < free.length; n++) {
            free[n] = !problem.residentNode(n) && (backwardToo || problem.role(n) == Role.FORWARD);
            updates |= problem.role(n) == Role.UPDATE || !problem.writes(n).isEmpty();
        }
        boolean provable = backwardToo && !updates && BoundScope.GIVEN_ORDER.covers(problem, start);
        boolean closed = true;
        int most = 1;
        while (closed
                && effort > 0
                && !options.listener().expired()
                && most < MOST_COMPUTATIONS
                && most <= computations(problem, best.sequence())) {
            most++;
            Proposal before = Proposal.of(problem, best.sequence());
            OptionalLong below =
                    before.fits(options) ? OptionalLong.of(before.evaluation().cost()) : OptionalLong.empty();
            RetentionSearch.Result result = RetentionSearch.everywhere(problem, before.sequence(), free, most)
                    .run(options, below, effort);
            effort -= result.effort();
            closed = result.closed();
            result.sequence().ifPresent(best::offer);
            if (provable && result.exact() && result.bound() < Long.MAX_VALUE) {
                options.listener().proved(new LowerBound(result.bound(), BoundScope.givenOrder(most)));
            }
        }
        return best.sequence();
    }

    /** The largest number of computations of a node. */
    private static int computations(RematProblem problem, OperatorSequence sequence) {
        int[] count = new int[problem.nodeCount()];
        sequence.steps().forEach(node -> count[node]++);
        return Arrays.stream(count).max().orElse(0);
    }
}
