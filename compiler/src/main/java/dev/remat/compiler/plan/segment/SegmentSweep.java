package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import java.util.TreeSet;

/** Tries numbers of segments on one problem, cut after cut vertices and anywhere, and keeps the best sequence. */
final class SegmentSweep {
    private final SegmentTrials trials;
    private final TreeSet<Integer> tried = new TreeSet<>();
    private int bestCount = 1;

    SegmentSweep(String strategy, RematProblem problem, PlannerOptions options) {
        trials = new SegmentTrials(strategy, problem, options);
    }

    /** Number of forward nodes to cut between. */
    int positions() {
        return trials.graph().size();
    }

    /** Plans with at most {@code segments} segments, cut at cut vertices and anywhere, unless that has been tried. */
    void tryCount(long segments) {
        int count = Math.clamp(segments, 1, Math.max(1, positions()));
        if (!tried.add(count)) {
            return;
        }
        for (boolean[] preferred : List.of(trials.cutVertices(), new boolean[positions()])) {
            if (trials.offer(Segmentation.balanced(trials.graph(), count, preferred))) {
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
        return trials.best();
    }
}
