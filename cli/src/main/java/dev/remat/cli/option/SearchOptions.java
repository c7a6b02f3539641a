package dev.remat.cli.option;

import dev.remat.cli.console.Progress;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.TargetModel;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;

/** How a command that makes many plans searches for each, and for what. */
public final class SearchOptions {
    @Mixin
    private TargetOption target;

    @Mixin
    private final EffortOption effort = new EffortOption(Effort.QUICK);

    @Mixin
    private CostOptions costs;

    @Mixin
    private TimeLimit timeLimit;

    public TargetModel target() {
        return target.target();
    }

    public Effort effort() {
        return effort.effort();
    }

    public CostModel costModel() {
        return costs.model(target());
    }

    /** Reads what writing an answer takes as long as. */
    public <T> T rehearse(Supplier<T> reading) {
        return timeLimit.rehearse(reading);
    }

    /** Tells what is tried, and ends the search after the time that the user gave it. */
    public SearchListener followedOn(Progress progress) {
        return timeLimit.from(progress);
    }
}
