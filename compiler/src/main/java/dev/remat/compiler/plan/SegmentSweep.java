package dev.remat.compiler.plan;

import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Tries numbers of segments on one problem, cut behind cut vertices and anywhere, and keeps the best sequence. */
final class SegmentSweep {
    private final String strategy;
    private final RematProblem problem;
    private final Retention free;
    private final ForwardGraph graph;
    private final boolean[] cutVertices;
    private final BestSequence best;
    private final TreeSet<Integer> tried = new TreeSet<>();
    private int bestCount = 1;

    SegmentSweep(String strategy, RematProblem problem, PlannerOptions options) {
        this.strategy = strategy;
        this.problem = problem;
        free = Retention.required(problem);
        SmallValues.retain(problem, free);
        graph = ForwardGraph.of(problem, free);
        cutVertices = CutPoints.of(graph);
        best = new BestSequence(problem, options);
    }

    /** Number of forward nodes to cut between. */
    int positions() {
        return graph.size();
    }

    /** Plans with at most {@code segments} segments, unless that has been tried. */
    void tryCount(long segments) {
        int count = Math.clamp(segments, 1, Math.max(1, graph.size()));
        if (!tried.add(count)) {
            return;
        }
        List<Segmentation> cuts = new ArrayList<>();
        cuts.add(Segmentation.balanced(graph, count, cutVertices));
        Segmentation anywhere = Segmentation.balanced(graph, count, new boolean[graph.size()]);
        if (!anywhere.sameCuts(cuts.getFirst())) {
            cuts.add(anywhere);
        }
        for (Segmentation segmentation : cuts) {
            Retention retention = free.copy();
            segmentation.retainBoundaries(retention);
            if (best.offer(SequenceBuilder.build(strategy, problem, retention))) {
                bestCount = count;
            }
        }
    }

    /** The number of segments asked for when the best sequence was found. */
    int bestCount() {
        return bestCount;
    }

    /** The best sequence; at least one number of segments must have been tried. */
    OperatorSequence best() {
        return best.sequence();
    }
}
