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

/**
 * Local search on the sequence itself, from the sequence of another strategy: see {@link SequenceSearch} for how it
 * goes and {@link SequenceMoves} for the moves. Moves of single steps over a segment tree of the bytes in memory are
 * due to FastSA (2024). The number of moves follows from the number of nodes, and chance from fixed seeds.
 */
public final class Anneal implements Planner {
    /** Temperature at which it begins to go through orders and recomputations, as a part of the mean cost. */
    public static final double HEAT = 0.5;

    private static final String NAME = "anneal";
    /** Moves of a walk for each node, beyond which it would come by the same sequences again. */
    private static final int MOST_A_NODE = 50_000;
    /** The short walk through orders and recomputations is this part of the long one. */
    private static final int QUICK_PART = 16;

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
        boolean ordered = budget && Reorder.pays(problem);
        OperatorSequence start = ordered ? inBestOrder(problem, options) : new PeakPriority().plan(problem, options);
        OperatorSequence named = new OperatorSequence(name(), start.steps().toArray(), start.retained());
        if (ordered) {
            return improveJointly(problem, named, options, HEAT);
        }
        return budget ? improve(problem, named, options) : named;
    }

    /**
     * Where search begins if {@link Reorder#pays}: the best order that is found in half of the time, with everything
     * kept if that fits the budget in the options, else as {@link PeakPriority} evicts in it.
     */
    public static OperatorSequence inBestOrder(RematProblem problem, PlannerOptions options) {
        Reordering order =
                Reorder.search(problem, options.telling(options.listener().halfOfRest()));
        PlannerOptions unproven = options.telling(options.listener().withoutProofs());
        BestSequence best = new BestSequence(order.problem(), unproven);
        best.offer(new KeepAll().plan(order.problem(), unproven));
        if (!best.proposal().fits(unproven)) {
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
                return options.budgetBytes().isEmpty() ? start : improve(problem, start, options);
            }
        };
    }

    /**
     * A sequence that fits and costs no more than {@code start} if that fits; else one that fits, or needs no more than
     * it. The same object where nothing better is found. More effort never makes it worse.
     */
    public static OperatorSequence improve(RematProblem problem, OperatorSequence start, PlannerOptions options) {
        return improve(problem, start, options, walks(problem.nodeCount(), options.effort()));
    }

    /**
     * The same by walks through orders and recomputations at once, which move steps, first computations among them,
     * more often than they change what is recomputed: for nodes that may stand in many places. A short one comes first,
     * for those whose time is limited, and with full effort a long one from the same start.
     *
     * @param heat temperature at the start, as a part of the mean cost of a node: the more is to be recomputed, the
     *     more of it may pay
     */
    public static OperatorSequence improveJointly(
            RematProblem problem, OperatorSequence start, PlannerOptions options, double heat) {
        int nodes = problem.nodeCount();
        long full = Math.min((long) nodes * MOST_A_NODE, nodes > SearchLimits.LARGE ? 10_000_000 : 16_000_000);
        OperatorSequence quick = improve(problem, start, options, jointly(full / QUICK_PART, heat));
        if (options.effort() == PlannerOptions.Effort.QUICK) {
            return quick;
        }
        OperatorSequence longer = improve(problem, start, options, jointly(full, heat));
        return Proposal.bestFirst(options).compare(Proposal.of(problem, longer), Proposal.of(problem, quick)) < 0
                ? longer
                : quick;
    }

    private static List<SequenceSearch.Walk> jointly(long work, double heat) {
        return List.of(new SequenceSearch.Walk(work, heat, 0.001, 2, Focus.PLACES));
    }

    private static OperatorSequence improve(
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

    private static List<SequenceSearch.Walk> walks(int nodes, PlannerOptions.Effort effort) {
        long most = (long) nodes * MOST_A_NODE;
        long full = Math.min(most, nodes > SearchLimits.LARGE ? 3_500_000 : 5_000_000);
        SequenceSearch.Walk first =
                new SequenceSearch.Walk(Math.min(most, 500_000), 0.5, 0.002, 1, Focus.RECOMPUTATIONS);
        return switch (effort) {
            case QUICK -> List.of(first);
            case FULL ->
                List.of(
                        first,
                        new SequenceSearch.Walk(full, 1, 0.003, 2, Focus.RECOMPUTATIONS),
                        new SequenceSearch.Walk(full, 0.3, 0.001, 3, Focus.RECOMPUTATIONS));
        };
    }
}
