package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.BackwardPlanner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;

/**
 * Retains every √m-th of the m cut vertices of the forward, whatever their sizes, as {@code memory} of OpenAI's
 * gradient-checkpointing (Salimans and Bulatov, 2018). A forward without cut vertices is retained whole: there the
 * original stops and asks for a collection by hand.
 */
public final class RetainCutVertices implements BackwardPlanner {
    @Override
    public String name() {
        return "memory";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        SegmentTrials trials = new SegmentTrials(name(), problem, options);
        ForwardGraph graph = trials.graph();
        IntList afterCutVertices = new IntList();
        for (int p = 0; p + 1 < graph.size(); p++) {
            if (trials.cutVertices()[p]) {
                afterCutVertices.add(p + 1);
            }
        }
        int count = afterCutVertices.size();
        int stride = (int) Math.max(1, Math.round(Math.sqrt(count)));
        IntList cuts = new IntList();
        for (int i = stride - 1; i < count; i += stride) {
            cuts.add(afterCutVertices.get(i));
        }
        trials.offer(Segmentation.at(graph, cuts));
        return trials.best();
    }
}
