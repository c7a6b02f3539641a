package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.BackwardPlanner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;

/**
 * Cuts the forward into about √n segments, retains what crosses the cuts, and recomputes the rest of a segment when the
 * backward first needs something of it (Chen, Xu, Zhang and Guestrin, 2016), on general graphs: after cut vertices
 * where there are any, else at positions where everything that crosses is retained.
 *
 * <p>Segments are balanced by bytes. Since values differ in size, the best number of segments is only near √n; it is
 * taken by the exact evaluator from a geometric range around it, refined around the best; one segment, which recomputes
 * nothing, is among the candidates.
 */
public final class Sqrt implements BackwardPlanner {
    private static final double STEP = Math.sqrt(2);
    private static final double SPAN = 4;

    @Override
    public String name() {
        return "sqrt";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        SegmentSweep sweep = new SegmentSweep(name(), problem, options);
        sweep.tryCount(1);
        if (sweep.positions() == 0) {
            return sweep.best();
        }
        double root = Math.sqrt(sweep.positions());
        for (double count = root / SPAN; count <= root * SPAN; count *= STEP) {
            sweep.tryCount(Math.max(2, Math.round(count)));
        }
        for (double step = Math.sqrt(STEP); step > 1.05; step = Math.sqrt(step)) {
            int centre = sweep.bestCount();
            sweep.tryCount(Math.round(centre / step));
            sweep.tryCount(Math.round(centre * step));
        }
        return sweep.best();
    }
}
