package dev.remat.cli;

import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.TargetModel;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How a command that makes many plans searches for each, and for what. */
final class SearchOptions {
    @Option(
            names = "--target",
            paramLabel = "NAME",
            defaultValue = "cpu",
            converter = Target.Converter.class,
            description = "What the plans are for: cpu, or a GPU such as sm_90a. Default: cpu.")
    private TargetModel target;

    @Option(
            names = "--effort",
            paramLabel = "quick|full",
            converter = EffortConverter.class,
            description = "How much work the search for each plan may take: quick, or as much as 'plan' takes. Default:"
                    + " quick.")
    private Effort effort = Effort.QUICK;

    @Mixin
    private CostOptions costs;

    @Mixin
    private TimeLimit timeLimit;

    TargetModel target() {
        return target;
    }

    Effort effort() {
        return effort;
    }

    CostModel costModel() {
        return costs.model(target);
    }

    /** Tells what is tried, and ends the search after the time that the user gave it, counted from now. */
    SearchListener followedOn(Progress progress) {
        return timeLimit.from(progress);
    }
}
