package dev.remat.cli.option;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.Progress;
import dev.remat.cli.option.tier.BelowOptions;
import dev.remat.cli.option.tier.RateOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.remat.Below;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.Link;
import dev.remat.ir.target.TargetModel;
import java.util.List;
import java.util.Optional;
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
    private BelowOptions below;

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

    /** What joins ranks, if the file of times says so. */
    public Optional<Link> measuredLink() {
        return costs.link();
    }

    /** Whether anything lies below the arena. */
    public boolean isBelowAsked() {
        return below.isAsked();
    }

    /** What lies below the arena. */
    public Below below(Console console) {
        return below.below(Target.isCpu(target()), costModel(), console);
    }

    /** What lies below the arena by each of several rates, none if none were asked. */
    public List<Below> below(RateOptions rates, Console console) {
        below.requireTimes(costModel());
        return rates.of(below, Target.isCpu(target()), console);
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
