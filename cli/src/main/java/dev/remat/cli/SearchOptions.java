package dev.remat.cli;

import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.TargetModel;
import picocli.CommandLine.Mixin;

/** How a command that makes many plans searches for each, and for what. */
final class SearchOptions {
    @Mixin
    private TargetOption target;

    @Mixin
    private final EffortOption effort = new EffortOption(Effort.QUICK);

    @Mixin
    private CostOptions costs;

    @Mixin
    private TimeLimit timeLimit;

    TargetModel target() {
        return target.target();
    }

    Effort effort() {
        return effort.effort();
    }

    CostModel costModel() {
        return costs.model(target());
    }

    /** Tells what is tried, and ends the search after the time that the user gave it, counted from now. */
    SearchListener followedOn(Progress progress) {
        return timeLimit.from(progress);
    }
}
