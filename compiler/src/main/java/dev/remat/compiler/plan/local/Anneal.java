package dev.remat.compiler.plan.local;

import dev.remat.compiler.plan.BestSequence;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.build.RemoveRecomputations;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.compiler.plan.local.SequenceMoves.Focus;
import dev.remat.compiler.plan.order.Reorder;
import dev.remat.compiler.plan.order.Reordering;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Local search on the sequence itself, from the sequence of another strategy: see {@link SequenceSearch} for how it
 * goes and {@link SequenceMoves} for the moves. Moves of single steps over a segment tree of the bytes in memory are
 * due to FastSA (2024). The number of moves follows from the number of nodes, and chance from fixed seeds.
 */
public final class Anneal implements Planner {
    private static final String NAME = "anneal";
    /** Moves of a walk for each node, beyond which it would come by the same sequences again. */
    private static final int MOST_A_NODE = 50_000;

    @Override
    public String name() {
        return NAME;
    }

    /**
     * Starts from {@link PeakPriority}; without a budget it has nothing to add to that. Where orders are searched, it
     * starts in the best of them, and moves first computations as well as repeats.
     */
    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        boolean budget = options.budgetBytes().isPresent();
        if (budget && Reorder.pays(problem)) {
            return JointWalks.improve(problem, named(inBestOrder(problem, options)), options);
        }
        OperatorSequence start = named(new PeakPriority().plan(problem, options));
        return budget ? improve(problem, start, options) : start;
    }

    private static OperatorSequence named(OperatorSequence sequence) {
        return new OperatorSequence(NAME, sequence.steps().toArray(), sequence.retained());
    }

    /**
     * Where search begins if {@link Reorder#pays}: the best order that is found in half of the time, with everything
     * kept; in a large problem, if that does not fit the budget in the options, as {@link PeakPriority} evicts in it.
     */
    private static OperatorSequence inBestOrder(RematProblem problem, PlannerOptions options) {
        Reordering order =
                Reorder.search(problem, options.telling(options.listener().halfOfRest()));
        PlannerOptions unproven = options.telling(options.listener().withoutProofs());
        BestSequence best = new BestSequence(order.problem(), unproven);
        best.offer(new KeepAll().plan(order.problem(), unproven));
        boolean large = problem.nodeCount() > SearchLimits.ASKED_AROUND;
        if (large && !best.proposal().fits(unproven)) {
            best.attempt(() -> RemoveRecomputations.run(
                    order.problem(),
                    new PeakPriority().plan(order.problem(), unproven),
                    options.budgetBytes().orElseThrow(),
                    options.listener()));
        }
        return order.toOriginal(best.sequence());
    }

    /** The same from another start; without a budget that is the answer. */
    public static Planner from(OperatorSequence start) {
        return new Planner() {
            @Override
            public String name() {
                return NAME;
            }

            @Override
            public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
                if (options.budgetBytes().isEmpty()) {
                    return start;
                }
                return Reorder.pays(problem)
                        ? JointWalks.improve(problem, start, options)
                        : improve(problem, start, options);
            }
        };
    }

    /**
     * A sequence that fits and costs no more than {@code start} if that fits; else one that fits, or needs no more than
     * it. The same object where nothing better is found. More effort never makes it worse.
     */
    public static OperatorSequence improve(RematProblem problem, OperatorSequence start, PlannerOptions options) {
        long most = (long) problem.nodeCount() * MOST_A_NODE;
        SequenceSearch.Walk first =
                new SequenceSearch.Walk(Math.min(most, 500_000), 0.5, 0.002, 1, Focus.RECOMPUTATIONS);
        return switch (options.effort()) {
            case QUICK -> improve(problem, start, options, List.of(first));
            case NORMAL -> {
                OperatorSequence brief = improve(problem, start, options, List.of(first));
                BestSequence best = new BestSequence(problem, options);
                best.offer(brief);
                onward(problem, options).parallelStream()
                        .map(walk -> walk.apply(brief))
                        .toList()
                        .forEach(best::offer);
                yield best.sequence();
            }
            case FULL -> {
                long full = Math.min(most, problem.nodeCount() > SearchLimits.LARGE ? 3_500_000 : 5_000_000);
                List<SequenceSearch.Walk> walks = Stream.concat(Stream.of(first), longWalks(full).stream())
                        .toList();
                yield improve(problem, start, options, walks);
            }
        };
    }

    /** Walks to be made side by side from what a quick one found, for a normal effort. */
    public static List<UnaryOperator<OperatorSequence>> onward(RematProblem problem, PlannerOptions options) {
        return longWalks(Math.min((long) problem.nodeCount() * MOST_A_NODE, 1_000_000)).stream()
                .<UnaryOperator<OperatorSequence>>map(walk -> start -> improve(problem, start, options, List.of(walk)))
                .toList();
    }

    private static List<SequenceSearch.Walk> longWalks(long work) {
        return List.of(
                new SequenceSearch.Walk(work, 1, 0.003, 2, Focus.RECOMPUTATIONS),
                new SequenceSearch.Walk(work, 0.3, 0.001, 3, Focus.RECOMPUTATIONS));
    }

    /** The best of what one walk after the other makes, each from what those before it found. */
    static OperatorSequence improve(
            RematProblem problem, OperatorSequence start, PlannerOptions options, List<SequenceSearch.Walk> walks) {
        Proposal first = Proposal.of(problem, start);
        if (first.fits(options) && first.evaluation().recomputedCost() == 0) {
            return start;
        }
        SequenceSearch search = new SequenceSearch(problem, start, options);
        walks.forEach(search::walk);
        Proposal found = Proposal.of(problem, search.best(NAME));
        return Proposal.bestFirst(options).compare(found, first) < 0 ? found.sequence() : start;
    }
}
