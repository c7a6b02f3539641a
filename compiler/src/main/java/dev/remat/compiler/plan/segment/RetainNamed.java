package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.BackwardPlanner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.build.SequenceBuilder;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;

/**
 * Retains what the user has named by {@code retain} and what no plan can drop, and recomputes everything else of the
 * forward when the backward first needs it, as {@code collection} of OpenAI's gradient-checkpointing (Salimans and
 * Bulatov, 2018).
 */
public final class RetainNamed implements BackwardPlanner {
    @Override
    public String name() {
        return "collection";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        return SequenceBuilder.build(name(), problem, Retention.required(problem));
    }
}
