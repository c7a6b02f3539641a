package dev.remat.cli.command;

import dev.remat.cli.check.CheckArtifact;
import dev.remat.cli.check.CheckPlans;
import dev.remat.cli.check.CheckReport;
import dev.remat.cli.check.CheckStages;
import dev.remat.cli.check.PlanFinding;
import dev.remat.cli.chunk.ChunkLists;
import dev.remat.cli.chunk.UncutNote;
import dev.remat.cli.console.DiagnosticText;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Progress;
import dev.remat.cli.device.BuiltAlready;
import dev.remat.cli.device.Device;
import dev.remat.cli.device.DeviceOption;
import dev.remat.cli.option.BudgetConverter;
import dev.remat.cli.option.CountingNumber;
import dev.remat.cli.option.MicroBatchOptions;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.option.StrategyConverter;
import dev.remat.cli.option.data.RangeOptions;
import dev.remat.cli.option.tier.BelowOptions;
import dev.remat.cli.plans.CacheOption;
import dev.remat.cli.ranks.RankLists;
import dev.remat.cli.ranks.StageLists;
import dev.remat.cli.report.CheckJson;
import dev.remat.cli.report.CheckText;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.choose.ChooseMicroBatches;
import dev.remat.compiler.choose.MicroBatchChoice;
import dev.remat.compiler.chunk.ChunkedLoss;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.training.HoldStopped;
import dev.remat.compiler.training.Objective;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactReader;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.Executable;
import dev.remat.runtime.check.GradientCheck;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.train.GradientEvaluation;
import dev.remat.runtime.train.InputFeed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code remat check}. */
@Command(
        name = "check",
        description = "Hold the promises against this model: the same bits by every plan, gradients that are right.",
        footer = {
            "",
            "Examples:",
            "  remat check samples/gpt.model --set B=4,T=64,depth=2,width=32",
            "  remat check samples/gpt.model --set B=8,T=64 --micro-batches 8 --ranks 1,2,4,8",
            "  remat check samples/gpt.model --set B=8,T=64 --chunks 2,8,auto",
            "  remat check samples/gpt.model --set B=8,T=16 --micro-batches 8 --stages 1,2,4 --schedule 1f1b,gpipe",
            "  remat check samples/unet.model --set B=1,width=4 --strategy sqrt,auto --budget 80%%,60%%"
        })
final class CheckCommand extends ModelCommand {
    /** Whose random draws the gradients are checked with. */
    private static final long STEP = 1;

    @Option(
            names = "--strategy",
            paramLabel = "NAME",
            split = ",",
            converter = StrategyConverter.class,
            description = "Strategies to try, without a budget and with each. Default: all without a budget, and auto"
                    + " with each.")
    private List<Planner> strategies = new ArrayList<>();

    @Option(
            names = "--budget",
            paramLabel = "SIZE",
            split = ",",
            converter = BudgetConverter.class,
            description = "Budgets to try, as 'plan' takes them. Default: the smallest plan found, and three between it"
                    + " and the one that keeps everything.")
    private List<Budget> budgets = new ArrayList<>();

    @Option(
            names = "--steps",
            paramLabel = "N",
            converter = CountingNumber.OfInt.class,
            defaultValue = "3",
            description = "Training steps by each plan. Default: 3.")
    private int steps;

    @Option(names = "--seed", paramLabel = "N", description = "Seed instead of the model's.")
    private Long seed;

    @Mixin
    private MicroBatchOptions batches;

    @Mixin
    private ChunkLists chunks;

    @Mixin
    private RankLists ranks;

    @Mixin
    private StageLists stages;

    @Mixin
    private RangeOptions ranges;

    @Mixin
    private DeviceOption device;

    @Mixin
    private BelowOptions below;

    @Mixin
    private CacheOption cache;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        device.check();
        device.check(below);
        CheckReport report = BuiltAlready.isArtifact(model().file()) ? checkArtifact() : checkModel();
        output.print(console(), new CheckJson(report)::writeTo, out -> new CheckText(report, out).print());
        return (report.holds() ? ExitCode.OK : ExitCode.PLAN_VIOLATION).number();
    }

    private CheckReport checkArtifact() throws IOException {
        BuiltAlready.check(spec(), model().file(), Set.of("--range"));
        Artifact artifact = ArtifactReader.read(model().file());
        ExecutionPlan plan = seed == null ? artifact.plan() : artifact.plan().withSeed(seed);
        Device on = device.open(artifact, console());
        try (Progress progress = new Progress(console());
                Dataset data = ranges.dataset()) {
            return CheckArtifact.run(plan, on, data, steps, progress);
        }
    }

    private CheckReport checkModel() throws IOException {
        Device on = device.open(console());
        ModelSession set = model().session();
        ModelSession seeded = seed == null ? set : set.with(set.settings().withSeed(seed));
        ModelSession asked = batches.cut(stages.cut(seeded, batches, ranks, console()));
        ranks.demandThreads(on.target());
        stages.demandThreads(on.target());
        stages.refuse("--disk or --host-budget", below.isAsked());
        stages.refuse("--chunks", chunks.isAsked());
        Optional<MicroBatchChoice> choice =
                batches.isAuto() ? Optional.of(choose(asked, on.target())) : Optional.empty();
        ModelSession session =
                choice.map(chosen -> asked.cutInto(chosen.count())).orElse(asked);
        List<Budget> within = choice.<List<Budget>>map(chosen -> List.of(new Budget.Bytes(chosen.budgetBytes())))
                .orElse(budgets);
        ElaboratedModel elaborated = batches.step(session, Purpose.TRAIN);
        DiagnosticText.print(session.source().warnings(), console());
        ranges.check(elaborated);
        CompileOptions options = CompileOptions.defaults().with(below.below(true, console()));
        try (Progress progress = new Progress(console());
                Dataset data = ranges.dataset()) {
            Compiler compiler = compiler(on.target());
            List<PreparedStep> prepared = prepared(elaborated, options, compiler);
            List<PlanFinding> plans = CheckPlans.run(
                    compiler,
                    prepared,
                    chunks.choosesByBudget() ? Optional.of(elaborated) : Optional.empty(),
                    strategies,
                    within,
                    on,
                    below.places(),
                    data,
                    steps,
                    progress);
            List<PlanFinding> all = Stream.concat(
                            plans.stream(), staged(elaborated, compiler, on, data, plans.getFirst(), progress).stream())
                    .toList();
            return new CheckReport(
                    steps,
                    all,
                    gradients(session, options.with(cut(prepared)), on, data, progress),
                    places(elaborated.forward()));
        }
    }

    /** The step on each number of ranks, its losses cut in each way; the first is what all are held against. */
    private List<PreparedStep> prepared(ElaboratedModel model, CompileOptions options, Compiler compiler) {
        return shared((number, level) -> inChunks(model, options.onRanks(number).with(level), compiler));
    }

    private List<PreparedStep> inChunks(ElaboratedModel model, CompileOptions options, Compiler compiler) {
        List<PreparedStep> prepared = new ArrayList<>();
        Set<List<ChunkedLoss>> known = new HashSet<>();
        for (Chunks how : chunks.fixed()) {
            PreparedStep step =
                    compiler.prepare(model, options.with(Effort.QUICK).with(how));
            UncutNote.of(step).ifPresent(console()::note);
            if (known.add(step.chunked())) {
                prepared.add(step);
            }
        }
        return prepared;
    }

    /** How losses are cut in the last step that is in chunks, which have gradients as any. */
    private static Chunks cut(List<PreparedStep> prepared) {
        return prepared.reversed().stream()
                .filter(step -> !step.chunked().isEmpty())
                .map(step -> step.options().chunks())
                .findFirst()
                .orElse(Chunks.AS_WRITTEN);
    }

    /** @param first of the plans that are not cut into stages */
    private List<PlanFinding> staged(
            ElaboratedModel model, Compiler compiler, Device on, Dataset data, PlanFinding first, Progress progress) {
        if (stages.stagings().isEmpty()) {
            return List.of();
        }
        if (!(first.outcome() instanceof PlanFinding.Outcome.Ran ran)) {
            console().note("stages are not checked: '" + first.name() + "', which they are held against, did not run");
            return List.of();
        }
        CompileStages staging = new CompileStages(
                compiler, on.target(), new RooflineCost(on.target().device()));
        CheckStages checks = new CheckStages(staging, model, on, data, steps, ran.trial(), progress);
        return shared((number, level) -> checks.run(
                CompileOptions.defaults().onRanks(number).with(level), stages.stagings(), strategies, budgets));
    }

    /** Something for every number of ranks that is asked for, and whatever these share. */
    private <T> List<T> shared(BiFunction<Integer, Sharding, List<T>> each) {
        return ranks.numbers().stream()
                .flatMap(number -> (number == 1 ? List.of(Sharding.NONE) : ranks.levels())
                        .stream().flatMap(level -> each.apply(number, level).stream()))
                .toList();
    }

    private MicroBatchChoice choose(ModelSession session, TargetModel target) {
        if (budgets.size() != 1) {
            throw misuse("--micro-batches auto chooses for one --budget; give that, or a number");
        }
        try (Progress progress = new Progress(console())) {
            return ChooseMicroBatches.run(
                    session,
                    Purpose.TRAIN,
                    CompileOptions.defaults().with(budgets.getFirst()),
                    compiler(target),
                    progress::tell);
        }
    }

    private Compiler compiler(TargetModel target) {
        return new Compiler(target, new RooflineCost(target.device()))
                .keeping(cache.store(console(), Optional.empty()));
    }

    /**
     * Gradients that stop somewhere are held against losses of the whole batch, since what they hold on to there has
     * all rows. It is not that of micro-batches where these are normalized by themselves, so that none is cut then.
     */
    private List<GradientCheck.Finding> gradients(
            ModelSession session, CompileOptions options, Device on, Dataset data, Progress progress) {
        ElaboratedModel cut = session.step(Purpose.GRADIENTS).withPrecision(DType.F64);
        ElaboratedModel whole = session.whole(Purpose.GRADIENTS).withPrecision(DType.F64);
        boolean stops = HoldStopped.isNeeded(whole.forward());
        boolean normalizes =
                cut.microBatches().stream().anyMatch(how -> !how.normalized().isEmpty());
        boolean uncut = stops && normalizes;
        ElaboratedModel elaborated = uncut ? whole : cut;
        if (uncut) {
            console().note("gradients are checked with the batch whole, since they stop where batch norm sees rows");
        }
        Consumer<String> tell = parameter -> progress.tell("checking the gradient of " + parameter);
        UnaryOperator<String> losses = parameter ->
                elaborated.training().objective(parameter).map(Objective::loss).orElse(ExecutionPlan.LOSS);
        try (Executable executable = load(elaborated, options, on)) {
            GradientEvaluation gradients = evaluation(executable, data);
            if (!stops) {
                return GradientCheck.run(gradients, losses, STEP, tell);
            }
            ElaboratedModel holding = whole.with(HoldStopped.run(whole.forward()));
            try (Executable held = load(holding, options, on)) {
                return GradientCheck.run(gradients, evaluation(held, data), losses, STEP, tell);
            }
        }
    }

    private Executable load(ElaboratedModel elaborated, CompileOptions options, Device on) {
        return on.load(PlanOptions.compile(elaborated, options, on.target()).plan(), false, below.places());
    }

    private static GradientEvaluation evaluation(Executable executable, Dataset data) {
        ExecutionPlan plan = executable.plan();
        GradientEvaluation evaluation = new GradientEvaluation(executable);
        evaluation.load(data.training(InputFeed.specs(plan), plan.seed()), 0);
        return evaluation;
    }

    /** Where in the model inputs and parameters come from, by name. */
    private static Map<String, String> places(Graph forward) {
        Map<String, String> places = new LinkedHashMap<>();
        for (GraphInput input : forward.inputs()) {
            places.put(forward.value(input.value()).name(), input.location().toString());
        }
        return places;
    }
}
