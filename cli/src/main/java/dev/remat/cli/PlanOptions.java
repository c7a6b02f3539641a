package dev.remat.cli;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How a training step is planned. */
final class PlanOptions {
    @Option(
            names = "--strategy",
            paramLabel = "NAME",
            converter = StrategyConverter.class,
            description = "How to choose what is recomputed, such as keep-all, sqrt, segments=K or peak-priority"
                    + " (docs/planning.md tells them all). Without it, auto with a budget, else keep-all.")
    private Planner strategy;

    @Option(
            names = "--budget",
            paramLabel = "SIZE",
            converter = Budget.Converter.class,
            description = "Bytes the arena may take, such as 6GiB or 800MB, a percentage of what keeping all takes, or"
                    + " a device such as h100 or a100-40gb, whose usable memory is meant.")
    private Budget budget;

    @Mixin
    private EffortOption effort;

    @Mixin
    private CostOptions costs;

    @Mixin
    private TimeLimit timeLimit;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of initial values, dropout and the order of the data, instead of the model's.")
    private Long seed;

    @Option(names = "--dump-dir", paramLabel = "DIR", description = "Write what every stage of the compiler made.")
    private Path dumpDir;

    /** The model's options with what the user asked for. */
    CompileOptions apply(CompileOptions plain, ElaboratedModel model, TargetModel target) {
        CompileOptions options = plain.with(effort.effort());
        if (strategy != null) {
            options = options.withStrategy(strategy.name());
        }
        if (seed != null) {
            options = options.withSeed(seed);
        }
        options = switch (budget) {
            case null -> options;
            case Budget.Bytes bytes -> options.withBudget(bytes.bytes());
            case Budget.Share share -> {
                long keepAll =
                        compile(model, options.withStrategy("keep-all"), target).keepAllArenaBytes();
                yield options.withBudget((long) (share.share() * keepAll));
            }
        };
        return dumpDir == null ? options : options.dumpingTo(dumpDir);
    }

    boolean hasSeed() {
        return seed != null;
    }

    /** Takes a checkpoint's seed where the user gave none. */
    void setSeed(long value) {
        seed = value;
    }

    /** Compiles with the target's own costs. */
    static Compilation compile(ElaboratedModel model, CompileOptions options, TargetModel target) {
        return new Compiler(target, new RooflineCost(target.device())).compile(model, options);
    }

    /** Compiles with the costs that the user asked for. */
    Compilation compile(ElaboratedModel model, CompileOptions options, TargetModel target, SearchListener listener) {
        return new Compiler(target, costs.model(target), listener).compile(model, options);
    }

    /** Tells what is tried, and ends the search after the time that the user gave it. */
    SearchListener followedOn(Progress progress) {
        return timeLimit.from(progress);
    }

    /** Compiles what the user asked for, and shows on a terminal what is being tried. */
    Compilation compileAs(CompileOptions plain, ElaboratedModel model, TargetModel target, Console console) {
        try (Progress progress = new Progress(console)) {
            return compile(model, apply(plain, model, target), target, followedOn(progress));
        }
    }
}
