package dev.remat.compiler.plan.build;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainReason;

/** Recomputes nothing but what the user has pinned to be recomputed. */
public final class KeepAll implements Planner {
    @Override
    public String name() {
        return "keep-all";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        Retention retention = Retention.required(problem);
        retention.retainAll(RetainReason.KEEP_ALL);
        return SequenceBuilder.build(name(), problem, retention);
    }
}
