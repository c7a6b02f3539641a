package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.BackwardPlanner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;

/**
 * A number of segments given by the user, as {@code checkpoint_sequential} of PyTorch and VISSL take it: values that
 * leave a segment are retained, all others but those of the last segment recomputed. Segments are balanced by bytes.
 *
 * @param count number of segments, at least 1; fewer where the forward cannot be cut so often
 */
public record Segments(int count) implements BackwardPlanner {
    public static final String PREFIX = "segments=";

    public Segments {
        if (count < 1) {
            throw new IllegalArgumentException("a forward has at least one segment, not " + count);
        }
    }

    @Override
    public String name() {
        return PREFIX + count;
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        SegmentSweep sweep = new SegmentSweep(name(), problem, options);
        sweep.tryCount(count);
        return sweep.best();
    }
}
