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
    /** Temperature at which it begins to go through orders and recomputations, as a part of the mean cost. */
    public static final double HEAT = 0.5;

    private static final String NAME = "anneal";
    /** Moves of a walk for each node, beyond which it would come by the same sequences again. */
    private static final int MOST_A_NODE = 50_000;
    /** The short walk through orders and recomputations is this part of the long one. */
    private static final int QUICK_PART = 16;

    private static final int NORMAL_PART = 4;

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
                if (options.budgetBytes().isEmpty()) {
                    return start;
                }
                return Reorder.pays(problem)
                        ? improveJointly(problem, start, options, HEAT)
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
        if (Reorder.pays(problem)) {
            return List.of(start -> improveJointly(problem, start, options, HEAT));
        }
        return longWalks(Math.min((long) problem.nodeCount() * MOST_A_NODE, 1_000_000)).stream()
                .<UnaryOperator<OperatorSequence>>map(walk -> start -> improve(problem, start, options, List.of(walk)))
                .toList();
    }

    private static List<SequenceSearch.Walk> longWalks(long work) {
        return List.of(
                new SequenceSearch.Walk(work, 1, 0.003, 2, Focus.RECOMPUTATIONS),
                new SequenceSearch.Walk(work, 0.3, 0.001, 3, Focus.RECOMPUTATIONS));
    }

    /**
     * The same by walks through orders and recomputations at once, which move steps, first computations among them,
     * more often than they change what is recomputed: for nodes that may stand in many places. A short one comes first,
     * for those whose time is limited, and with more effort a longer one from the same start.
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
        long work = options.effort() == PlannerOptions.Effort.FULL ? full : full / NORMAL_PART;
        OperatorSequence longer = improve(problem, start, options, jointly(work, heat));
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
}
