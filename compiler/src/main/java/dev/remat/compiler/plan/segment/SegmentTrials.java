package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.BestSequence;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.build.SequenceBuilder;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.nio.IntBuffer;
import java.util.LinkedHashSet;
import java.util.Set;

/** One problem's forward to be cut and scheduled in many ways; keeps the best sequence. */
public final class SegmentTrials {
    private final String strategy;
    private final RematProblem problem;
    private final Retention free;
    private final ForwardGraph graph;
    private final boolean[] cutVertices;
    private final BestSequence best;
    /** Without a backward all trials are the same. */
    private final boolean same;

    private final Set<IntBuffer> tried = new LinkedHashSet<>();

    public SegmentTrials(String strategy, RematProblem problem, PlannerOptions options) {
        this.strategy = strategy;
        this.problem = problem;
        free = Retention.required(problem);
        SmallValues.retain(problem, free);
        graph = ForwardGraph.of(problem, free);
        cutVertices = CutPoints.of(graph);
        best = new BestSequence(problem, options);
        same = !Retention.hasBackward(problem);
    }

    public ForwardGraph graph() {
        return graph;
    }

    /** Per position whether its node is a cut vertex. */
    public boolean[] cutVertices() {
        return cutVertices;
    }

    /** Retains what crosses a cut and recomputes each segment from there; whether that is new and the best so far. */
    public boolean offer(Segmentation segmentation) {
        if (!tried.add(segmentation.cutPositions()) || same && tried.size() > 1) {
            return false;
        }
        Retention retention = free.copy();
        segmentation.retainBoundaries(retention);
        return best.attempt(() -> SequenceBuilder.build(strategy, problem, retention));
    }

    /** Follows a schedule; whether that is the best so far. */
    boolean offer(Segmentation segmentation, SegmentSchedule schedule) {
        return best.attempt(() -> ReplaySegments.build(strategy, graph, free.copy(), segmentation, schedule));
    }

    /** The best sequence; at least one must have been offered. */
    public OperatorSequence best() {
        return best.sequence();
    }
}
