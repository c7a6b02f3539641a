package dev.remat.cli.option;

import dev.remat.cli.chunk.ChunksOption;
import dev.remat.cli.chunk.UncutNote;
import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.CheckedOptions;
import dev.remat.cli.console.Console;
import dev.remat.cli.console.Progress;
import dev.remat.cli.option.tier.BelowOptions;
import dev.remat.cli.plans.CacheOption;
import dev.remat.cli.search.SearchTrace;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileEvaluation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.choose.ChooseMicroBatches;
import dev.remat.compiler.choose.ChooseSharding;
import dev.remat.compiler.choose.MicroBatchChoice;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.known.PlanStore;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.ranks.Shares;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.search.EvaluationBudgetException;
import dev.remat.compiler.stage.PassListener;
import dev.remat.compiler.sweep.PlansByBudget;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.Link;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How a training step is planned. */
public final class PlanOptions extends CheckedOptions {
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
            converter = BudgetConverter.class,
            description = "Bytes the arena may take, such as 6GiB or 800MB, a percentage of what keeping all takes, a"
                    + " device such as h100 or a100-40gb, whose usable memory is meant, or container: what the memory"
                    + " limits of this process leave to the arena.")
    private Budget budget;

    @Mixin
    private BelowOptions below;

    @Mixin
    private final EffortOption effort = new EffortOption(Effort.NORMAL);

    @Mixin
    private CostOptions costs;

    @Mixin
    private TimeLimit timeLimit;

    @Mixin
    private CacheOption cache;

    private final SearchTrace trace = new SearchTrace();

    private UnaryOperator<SearchListener> following = UnaryOperator.identity();

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of initial values, dropout and the order of the data, instead of the model's.")
    private Long seed;

    @Option(names = "--dump-dir", paramLabel = "DIR", description = "Write what every stage of the compiler made.")
    private Path dumpDir;

    @Mixin
    private ChunksOption chunks;

    /** Whether a number of chunks is asked for. */
    public boolean demandsChunks() {
        return chunks.demandsNumber();
    }

    /** What the user asked for, on the device alone. */
    private CompileOptions options() {
        return new CompileOptions(
                Optional.ofNullable(strategy),
                Optional.ofNullable(budget),
                Below.NOTHING,
                effort.effort(),
                Optional.ofNullable(dumpDir),
                1,
                Shares.of(Sharding.NONE),
                chunks.chunks());
    }

    /** The same with what lies below the arena. */
    private CompileOptions options(TargetModel target, Console console) {
        require(
                strategy == null || !Strategies.ofPipes().contains(strategy),
                "--strategy " + (strategy == null ? "" : strategy.name())
                        + " says what stages compute again; it needs --stages");
        Below lower = below.below(Target.isCpu(target), costs.model(target), console);
        if (lower.isNothing()) {
            return options();
        }
        CompileOptions asked = options().with(lower);
        if (strategy != null || budget != null) {
            return asked;
        }
        return switch (lower.movable()) {
            case ACTIVATIONS -> asked.withStrategy("offload-activations");
            case STATE -> asked.withStrategy("offload-state");
            case ALL -> asked.withStrategy("offload");
            case AUTO, NONE -> asked;
        };
    }

    /** What memory lies below the arena. */
    public BelowOptions below() {
        return below;
    }

    /** What the searches for plans came by. */
    public SearchTrace trace() {
        return trace;
    }

    /** From now on searches go with what the listener is wrapped into, which may end them. */
    public void followedBy(UnaryOperator<SearchListener> other) {
        following = other;
    }

    /** The file of times or rates that is planned with; null if there is none. */
    public Path costFile() {
        return costs.file();
    }

    /** What joins ranks, if the file of times says so. */
    public Optional<Link> measuredLink() {
        return costs.link();
    }

    /** The plan with the seed that the user asked for, or its own. */
    public ExecutionPlan seeded(ExecutionPlan plan) {
        return seed == null ? plan : plan.withSeed(seed);
    }

    /** The model with the seed that the user asked for, or its own. */
    public ModelSession seeded(ModelSession model) {
        return seed == null ? model : model.with(model.settings().withSeed(seed));
    }

    /** Compiles with the target's own costs. */
    public static Compilation compile(ElaboratedModel model, CompileOptions options, TargetModel target) {
        return new Compiler(target, new RooflineCost(target.device())).compile(model, options);
    }

    /**
     * An evaluation that takes turns with a training step, in the step's arena or, if it needs more, a larger one.
     *
     * @throws EvaluationBudgetException if that is more than the budget
     */
    public static ExecutionPlan compileWithin(Compilation step, ElaboratedModel evaluation) {
        TargetModel target = step.target();
        ExecutionPlan plan =
                CompileEvaluation.run(new Compiler(target, new RooflineCost(target.device())), step, evaluation);
        OptionalLong budget = step.search().budgetBytes();
        if (budget.isPresent() && plan.arenaBytes() > budget.getAsLong()) {
            throw new EvaluationBudgetException(budget.getAsLong(), plan.arenaBytes());
        }
        return plan;
    }

    /**
     * Compiles as the user asked for, with another strategy or budget where one is given, shown on a terminal.
     *
     * @param last whether no other search has to get by with the time that is given
     */
    public Compilation compile(
            ElaboratedModel model,
            TargetModel target,
            Console console,
            Optional<Planner> otherStrategy,
            Optional<Budget> otherBudget,
            boolean last) {
        CompileOptions own = options(target, console);
        CompileOptions options = otherStrategy.map(own::with).orElse(own);
        CompileOptions asked = otherBudget.map(options::with).orElse(options);
        try (Progress progress = new Progress(console)) {
            SearchListener listener = last ? timeLimit.from(progress) : timeLimit.halfFrom(progress);
            return new Compiler(target, costs.model(target), trace.following(listener))
                    .keeping(store(console))
                    .compile(model, asked);
        }
    }

    /**
     * Quick plans of the same step, for budgets from all that it may take to the least.
     *
     * @param plan of the step
     * @param most how many
     */
    public List<Compilation> acrossBudgets(
            AskedStep step, Compilation plan, TargetModel target, Console console, int most) {
        CompileOptions asked = options(target, console);
        CompileOptions quick = CompileOptions.defaults()
                .with(asked.below())
                .with(Effort.QUICK)
                .onRanks(step.ranks())
                .with(step.sharding());
        try (Progress progress = new Progress(console)) {
            Compiler compiler = new Compiler(target, costs.model(target), timeLimit.from(progress));
            // What lies below may go by the budget.
            PreparedStep prepared =
                    asked.below().isNothing() ? plan.step().with(quick) : compiler.prepare(step.model(), quick);
            return PlansByBudget.run(compiler, prepared, most);
        }
    }

    /**
     * The step that the user asked for, with its seed, its batch cut; a number that is left open is chosen for the
     * budget.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if the model is wrong, or a setting does not suit it
     */
    public AskedStep step(
            ModelSession model, MicroBatchOptions batches, Purpose purpose, TargetModel target, Console console) {
        ModelSession cut = batches.cut(seeded(model));
        if (!batches.isAuto()) {
            ElaboratedModel step = batches.step(cut, purpose);
            tellOmitted(step, purpose, console);
            return new AskedStep(cut, step, Optional.empty());
        }
        MicroBatchChoice choice = choose(cut, purpose, target, console);
        MicroBatchOptions.tell(choice, console);
        ModelSession chosen = cut.cutInto(choice.count());
        ElaboratedModel step = choice.step().map(PreparedStep::model).orElseGet(() -> batches.step(chosen, purpose));
        tellOmitted(step, purpose, console);
        return new AskedStep(chosen, step, Optional.of(choice));
    }

    /** Gradients are asked for beside outputs; training shows none with rows anyway. */
    private static void tellOmitted(ElaboratedModel step, Purpose purpose, Console console) {
        List<String> omitted = step.microBatches().map(MicroBatches::omitted).orElse(List.of());
        if (purpose == Purpose.GRADIENTS && !omitted.isEmpty()) {
            console.note("left out, as micro-batches never have all rows of the batch: " + String.join(", ", omitted)
                    + "; --micro-batches 1 gives them");
        }
    }

    private MicroBatchChoice choose(ModelSession model, Purpose purpose, TargetModel target, Console console) {
        CompileOptions asked = options(target, console);
        try (Progress progress = new Progress(console)) {
            SearchListener listener = following.apply(timeLimit.halfFrom(progress));
            Compiler compiler = new Compiler(target, costs.model(target), listener).keeping(store(console));
            return ChooseMicroBatches.run(model, purpose, asked.quick(), compiler, listener);
        }
    }

    /** Plans that were made before. */
    private PlanStore store(Console console) {
        return trace.noticing(cache.store(console, timeLimit.given()));
    }

    /**
     * Compiles as the user asked for; tells on a terminal what is tried, and ends the search after the time that it was
     * given.
     */
    public Compilation compile(AskedStep step, TargetModel target, Console console) {
        return compile(step, target, console, PassListener.NONE);
    }

    private static Compilation choose(AskedStep step, CompileOptions within, Compiler compiler, Console console) {
        ChooseSharding.Choice choice = ChooseSharding.run(compiler, step.model(), within, step.link());
        boolean timed = choice.chosen().plan().costs().isTime();
        console.note("--shard auto takes " + described(choice.chosen()) + ": a step costs by "
                + choice.fitting().stream()
                        .map(each -> described(each) + " " + cost(each.cost(), timed))
                        .collect(Collectors.joining(", "))
                + "; by any at least " + cost(choice.least(), timed));
        return choice.chosen().plan();
    }

    private static String described(ChooseSharding.Tried tried) {
        int whole = tried.shares().whole().size();
        return tried.shares().level()
                + (whole == 0 ? "" : " with " + whole + (whole == 1 ? " bucket" : " buckets") + " whole");
    }

    private static String cost(double cost, boolean timed) {
        return timed ? String.format(Locale.ROOT, "%.2f ms", cost / 1e6) : String.format(Locale.ROOT, "%.0f", cost);
    }

    /**
     * Plans a step in stages, each as the user asked for one.
     *
     * @param first that a user is told of where no plan fits
     * @param plan by the options of each stage
     * @throws dev.remat.compiler.search.BudgetException if no plan of a stage fits the budget
     */
    public <T> T inStages(
            AskedStep step,
            Staging first,
            TargetModel target,
            Console console,
            BiFunction<CompileStages, CompileOptions, T> plan) {
        CostModel priced = costs.model(target);
        try (Progress progress = new Progress(console)) {
            SearchListener listener = following.apply(trace.following(timeLimit.from(progress)));
            Compiler compiler = new Compiler(target, priced, listener).keeping(store(console));
            CompileStages stages = new CompileStages(compiler, target, priced);
            CompileOptions asked = options().onRanks(step.ranks()).with(step.sharding());
            try {
                return plan.apply(stages, asked);
            } catch (BudgetException e) {
                CompileOptions least = step.sharding() == Sharding.AUTO ? asked.with(Sharding.PARAMETERS) : asked;
                console.note("each stage needs at least, by number: "
                        + stages.prepare(step.model(), least, first, 1).stream()
                                .map(stage ->
                                        ByteSize.format(stage.step().floor().bytes()))
                                .collect(Collectors.joining(", ")));
                throw e;
            }
        }
    }

    /** The same, shown on a terminal, with somebody who follows the passes. */
    public Compilation compile(AskedStep step, TargetModel target, Console console, PassListener passes) {
        CompileOptions asked = options(target, console).onRanks(step.ranks()).with(step.sharding());
        CompileOptions within = step.choice()
                .filter(choice -> asked.budget().isPresent())
                .map(choice -> asked.withBudget(choice.budgetBytes()))
                .orElse(asked);
        try (Progress progress = new Progress(console)) {
            SearchListener listener = following.apply(trace.following(timeLimit.from(progress)));
            Compiler compiler = new Compiler(target, costs.model(target), listener, passes).keeping(store(console));
            if (step.sharding() == Sharding.AUTO) {
                return told(choose(step, within, compiler, console), asked, console);
            }
            if (step.ranks() > 1) {
                return told(ChooseSharding.compile(compiler, step.model(), within, step.link()), asked, console);
            }
            // Dumps and listeners want to see every stage, and what lives below depends on the budget.
            Compilation compilation = step.prepared()
                    .filter(_ -> dumpDir == null
                            && passes.equals(PassListener.NONE)
                            && asked.below().isNothing())
                    .map(prepared -> compiler.compile(prepared.with(within)))
                    .orElseGet(() -> compiler.compile(step.model(), within));
            return told(compilation, asked, console);
        } catch (BudgetException e) {
            throw step.refused(e, within, new Compiler(target, costs.model(target)));
        }
    }

    private Compilation told(Compilation compilation, CompileOptions asked, Console console) {
        if (!asked.below().isNothing() && compilation.plan().transfers().isEmpty()) {
            below.nothingMoved(console);
        }
        UncutNote.of(compilation.step()).ifPresent(console::note);
        return compilation;
    }
}
