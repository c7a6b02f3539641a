package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.BackwardPlanner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;

/**
 * Walks the forward, adds up what it makes, and cuts after the first node that may be cut after once the sum exceeds
 * a limit (Chen, Xu, Zhang and Guestrin, 2016, algorithm 3).
 *
 * <p>As in the paper, limits are searched around √(x·y), where x is what crosses the cuts and y the largest segment;
 * and since the exact evaluator is cheap, also over the whole range from the largest value to the whole forward.
 * Candidates are the cut vertices, and in another sweep all nodes, so that graphs with long skips can be cut too.
 */
public final class ChenBudget implements BackwardPlanner {
    private static final double SWEEP_STEP = Math.pow(2, 0.25);
    private static final int GRID = 8;
    private static final int ROUNDS = 3;
    private static final int MOST_LIMITS = 64;

    @Override
    public String name() {
        return "chen-budget";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        SegmentTrials trials = new SegmentTrials(name(), problem, options);
        ForwardGraph graph = trials.graph();
        long total = graph.savedBefore(graph.size());
        trials.offer(cut(graph, total, trials.cutVertices()));
        for (boolean anywhere : new boolean[] {false, true}) {
            boolean[] candidates = trials.cutVertices().clone();
            for (int p = 0; anywhere && p < candidates.length; p++) {
                candidates[p] = true;
            }
            gridSearch(trials, candidates, total);
            double limit = total;
            for (int i = 0; i < MOST_LIMITS && limit >= 1; i++) {
                trials.offer(cut(graph, (long) limit, candidates));
                limit /= SWEEP_STEP;
            }
        }
        return trials.best();
    }

    /** Repeats B = √(x·y) and tries a grid on [B/2, √2·B] each time. */
    private static void gridSearch(SegmentTrials trials, boolean[] candidates, long total) {
        double limit =
                Math.sqrt((double) total * total / Math.max(1, trials.graph().size()));
        for (int round = 0; round < ROUNDS; round++) {
            limit = Math.sqrt(product(trials.graph(), cut(trials.graph(), (long) limit, candidates)));
            for (int i = 0; i <= GRID; i++) {
                double factor = 0.5 + i * (Math.sqrt(2) - 0.5) / GRID;
                trials.offer(cut(trials.graph(), (long) (limit * factor), candidates));
            }
        }
    }

    /** Bytes that cross the cuts, times bytes of the largest segment. */
    private static double product(ForwardGraph graph, Segmentation segmentation) {
        double crossing = 1;
        double largest = 1;
        for (int s = 0; s < segmentation.size(); s++) {
            int end = s + 1 < segmentation.size() ? segmentation.begin(s + 1) : graph.size();
            crossing += s == 0 ? 0 : graph.crossingBytes(segmentation.begin(s));
            largest = Math.max(largest, graph.savedBefore(end) - graph.savedBefore(segmentation.begin(s)));
        }
        return crossing * largest;
    }

    /** Cuts after the first candidate at which a segment has more than {@code limit} bytes. */
    static Segmentation cut(ForwardGraph graph, long limit, boolean[] candidates) {
        IntList cuts = new IntList();
        long begun = 0;
        for (int p = 0; p + 1 < graph.size(); p++) {
            boolean full = graph.savedBefore(p + 1) - begun > limit;
            if (full && candidates[p] && graph.crossingBytes(p + 1) <= graph.savedBefore(graph.size())) {
                cuts.add(p + 1);
                begun = graph.savedBefore(p + 1);
            }
        }
        return Segmentation.at(graph, cuts);
    }
}
