package dev.remat.compiler.plan.exact;

import dev.remat.compiler.plan.BestSequence;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.build.RemoveRecomputations;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * Large-neighbourhood search (Shaw, 1998): frees the recomputations of a window of neighbouring forward nodes, finds
 * better ones by constraint programming while all else stays where it is, and slides on; then with windows of other
 * sizes, until none improves.
 */
public final class WindowSearch {
    private static final int[] SIZES = {24, 48, 12, 96};
    /** Very roughly seconds of one core. */
    private static final double EFFORT = 8;

    private static final double WINDOW_EFFORT = 0.5;
    /** Per constraint and point of time, before the search begins. */
    private static final double SIZE_EFFORT = 5e-8;

    private static final double SEARCH_EFFORT = 2;
    private static final int LEAST_COMPUTATIONS = 3;

    private final RematProblem problem;
    private final PlannerOptions options;
    private final BestSequence best;
    private double effort = EFFORT;

    private WindowSearch(RematProblem problem, OperatorSequence start, PlannerOptions options) {
        this.problem = problem;
        this.options = options;
        best = new BestSequence(problem, options);
        best.offer(start);
    }

    /**
     * A sequence that fits the budget if {@code start} does, and costs no more; {@code start} itself where there is
     * nothing to gain or little effort is asked for.
     */
    public static OperatorSequence improve(RematProblem problem, OperatorSequence start, PlannerOptions options) {
        Proposal proposal = Proposal.of(problem, start);
        boolean needed = proposal.fits(options)
                && proposal.evaluation().recomputations() > 0
                && options.effort() == PlannerOptions.Effort.FULL
                && problem.nodeCount() <= SearchLimits.LARGE;
        if (!needed) {
            return start;
        }
        WindowSearch search = new WindowSearch(problem, start, options);
        search.run();
        return search.best.sequence();
    }

    private void run() {
        boolean improved = true;
        while (improved) {
            improved = false;
            for (int i = 0; i < SIZES.length && !over(); i++) {
                improved |= slide(SIZES[i]);
            }
        }
    }

    private boolean over() {
        return effort <= 0 || options.listener().expired();
    }

    /** Passes over all windows of a size; whether one improved. */
    private boolean slide(int size) {
        boolean improved = false;
        int[] nodes = candidates();
        for (int from = 0; !over() && (from == 0 || from + size / 2 < nodes.length); from += Math.max(1, size / 2)) {
            improved |= solve(Arrays.copyOfRange(nodes, from, Math.min(nodes.length, from + size)), size);
        }
        return improved;
    }

    /** Forward nodes that may be recomputed, in the order of their first computations. */
    private int[] candidates() {
        IntList nodes = new IntList();
        boolean[] seen = new boolean[problem.nodeCount()];
        best.sequence().steps().forEach(node -> {
            if (!seen[node] && problem.role(node) == Role.FORWARD && EventLine.mayRecompute(problem, node)) {
                nodes.add(node);
            }
            seen[node] = true;
        });
        return nodes.toArray();
    }

    private boolean solve(int[] window, int size) {
        OperatorSequence start = best.sequence();
        boolean[] free = new boolean[problem.nodeCount()];
        for (int node : window) {
            free[node] = true;
        }
        int[] most = new int[problem.nodeCount()];
        start.steps().forEach(node -> most[node]++);
        Arrays.setAll(most, n -> Math.max(LEAST_COMPUTATIONS, most[n]));
        RetentionSearch search = new RetentionSearch(problem, start, free, stages(start, free), most);
        OptionalLong below =
                OptionalLong.of(Proposal.of(problem, start).evaluation().cost());
        RetentionSearch.Result result =
                search.run(options, below, Math.min(effort, WINDOW_EFFORT * size / SIZES[0]) / SEARCH_EFFORT);
        effort -= SEARCH_EFFORT * result.effort() + SIZE_EFFORT * result.size();
        return result.sequence().isPresent() && accept(result.sequence().get());
    }

    private boolean accept(OperatorSequence found) {
        boolean better = best.offer(found);
        if (better) {
            best.offer(RemoveRecomputations.run(
                    problem, found, options.budgetBytes().orElseThrow(), options.listener()));
        }
        return better;
    }

    /** The stages in which something free runs, or something that reads it. */
    private boolean[] stages(OperatorSequence sequence, boolean[] free) {
        boolean[] stages = new boolean[problem.nodeCount() + 1];
        boolean[] seen = new boolean[problem.nodeCount()];
        int stage = 0;
        for (int t = 0; t < sequence.length(); t++) {
            int node = sequence.node(t);
            boolean first = !seen[node];
            boolean touched = free[node] && !first;
            for (int k = 0; !touched && k < problem.inputCount(node); k++) {
                touched = free[problem.producer(problem.input(node, k))];
            }
            stages[stage] |= touched;
            seen[node] = true;
            stage += first ? 1 : 0;
        }
        return stages;
    }
}
