package dev.remat.compiler;

import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.fusion.FuseGraph;
import dev.remat.compiler.fusion.FusedGraph;
import dev.remat.compiler.pipeline.CutModel;
import dev.remat.compiler.pipeline.CutStages;
import dev.remat.compiler.pipeline.ModelParts;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.SetChecker;
import dev.remat.compiler.pipeline.SetViolationException;
import dev.remat.compiler.pipeline.StageGraph;
import dev.remat.compiler.pipeline.StagePrograms;
import dev.remat.compiler.pipeline.StageRoom;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.ranks.ExchangePieces;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.remat.BuildProblem;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.search.Request;
import dev.remat.compiler.simplify.SimplifiedGraph;
import dev.remat.compiler.simplify.SimplifyForward;
import dev.remat.compiler.stage.PassListener;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.compiler.training.AddDrawInputs;
import dev.remat.compiler.training.BuildStepGraph;
import dev.remat.compiler.training.Purpose;
import dev.remat.compiler.training.RoundGraphs;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanSet;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphVerifier;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntFunction;

/**
 * Compiles a step in stages: decides its operations as for one, cuts them, and plans each stage with all its
 * micro-batches by itself.
 */
public final class CompileStages {
    private static final int MOST_RECENT = 3;

    private final Compiler compiler;
    private final TargetModel target;
    private final CostModel costs;
    /** What was asked for last, which is often cut in several ways. */
    private final List<Decided> recent = new ArrayList<>();

    /** @param compiler for the target, with the same costs */
    public CompileStages(Compiler compiler, TargetModel target, CostModel costs) {
        this.compiler = compiler;
        this.target = target;
        this.costs = costs;
    }

    /**
     * Plans all stages, each as the options say.
     *
     * @param model of a step that is cut into micro-batches, whose number that of ranks divides
     * @param options for each stage, a budget among them
     * @throws dev.remat.compiler.pipeline.TooFewBlocksException if the model cannot be cut into so many parts
     * @throws dev.remat.compiler.search.BudgetException if no plan of a stage fits the budget
     */
    public StageSet run(ElaboratedModel model, CompileOptions options, Staging staging) {
        return run(model, options, staging, prepare(model, options, staging, 1));
    }

    /**
     * The same of stages that are prepared as {@link #prepare} does: parts that take equally long, or where a stage of
     * these does not fit its budget, as long as can be with what is computed again for it. Where stages would stand
     * still, for one waits until another takes what it sends, messages get more time, and so more memory.
     */
    public StageSet run(ElaboratedModel model, CompileOptions options, Staging staging, List<PreparedStage> inStep) {
        try {
            return inTurn(options, staging, inStep, lead -> prepare(model, options, staging, lead));
        } catch (BudgetException e) {
            if (options.budgetBytes().isEmpty()) {
                throw e;
            }
            try {
                IntFunction<List<PreparedStage>> byBytes =
                        lead -> prepare(model, options, staging, lead, options.budgetBytes());
                return inTurn(options, staging, byBytes.apply(1), byBytes);
            } catch (BudgetException again) {
                throw again.smallestFoundBytes() < e.smallestFoundBytes() ? again : e;
            }
        }
    }

    /** @param prepare with a lead */
    private StageSet inTurn(
            CompileOptions options,
            Staging staging,
            List<PreparedStage> inStep,
            IntFunction<List<PreparedStage>> prepare) {
        List<PreparedStage> prepared = inStep;
        for (int lead = 1; ; lead *= 2) {
            // One that no plan fits refuses them all, so that none is searched for others.
            prepared.stream()
                    .map(stage -> stage.with(options))
                    .filter(CompileStages::isBelowFloor)
                    .findFirst()
                    .ifPresent(this::compile);
            List<Compilation> stages = ParallelMap.run(prepared, stage -> compile(stage.with(options)));
            try {
                return set(staging, prepared, stages);
            } catch (SetViolationException e) {
                if (lead
                        > stages.stream()
                                .mapToInt(stage -> stage.plan().steps().size())
                                .sum()) {
                    throw e;
                }
            }
            prepared = prepare.apply(2 * lead);
        }
    }

    private static boolean isBelowFloor(PreparedStep step) {
        return step.options().budgetBytes().orElse(Long.MAX_VALUE)
                < step.floor().bytes();
    }

    /** Of which nothing is proved: no stage's cost says how long a step of all takes. */
    private Compilation compile(PreparedStep step) {
        Optional<Budget> budget = step.options().budget();
        // What no plan can meet takes no search to refuse.
        Planner usual = budget.isEmpty() ? new KeepAll() : isBelowFloor(step) ? new PeakPriority() : Strategies.auto();
        return compiler.compile(
                step, new Request(Optional.of(step.options().strategy().orElse(usual)), budget, false));
    }

    private static StageSet set(Staging staging, List<PreparedStage> prepared, List<Compilation> stages) {
        List<ExecutionPlan> plans = stages.stream().map(Compilation::plan).toList();
        SetChecker.check(StagePrograms.of(plans, (_, _) -> 0));
        int each = stages.getFirst().microBatches()
                / prepared.getFirst().step().options().ranks();
        return new StageSet(staging, prepared, stages, new PlanSet(plans, each));
    }

    /**
     * Each stage up to the question of what to recompute.
     *
     * @param lead how many times as long messages may be on their way as stages in step need, at least 1
     */
    public List<PreparedStage> prepare(ElaboratedModel model, CompileOptions options, Staging staging, int lead) {
        return prepare(model, options, staging, lead, OptionalLong.empty());
    }

    /**
     * What a step takes at least, wherever its model is cut and whatever is computed again: kernels of the forward and
     * backward pass alone, where nothing waits for a link.
     *
     * @param ranks that its micro-batches are shared by
     * @param stages from 1
     * @return 0 if the model cannot be cut into so many
     */
    public long leastMakespan(ElaboratedModel model, int ranks, int stages, Schedule schedule) {
        Decided step = decided(model);
        return CutModel.leastMakespan(step.body(), step.rounds(), step.count(), step.count() / ranks, stages, schedule);
    }

    /**
     * What a stage needs at least that needs most, whatever is computed again, by borders that the options' budget
     * suits as well as those that need least.
     */
    public long floor(ElaboratedModel model, CompileOptions options, Staging staging) {
        long inTime = floor(prepare(model, options, staging, 1));
        return inTime <= options.budgetBytes().orElse(Long.MAX_VALUE)
                ? inTime
                : Math.min(inTime, floor(prepare(model, options, staging, 1, options.budgetBytes())));
    }

    private static long floor(List<PreparedStage> stages) {
        return stages.stream()
                .mapToLong(stage -> stage.step().floor().bytes())
                .max()
                .orElseThrow();
    }

    /** A step in micro-batches, decided, which all ways to cut it have in common. */
    private record Decided(ElaboratedModel model, RoundGraphs written, RoundGraphs rounds, PlanningProblem body) {
        int count() {
            return model.microBatches().orElseThrow().count();
        }

        /** Rather than of one that is equal, which would take long to find out. */
        @SuppressWarnings("ReferenceEquality")
        boolean isOf(ElaboratedModel other) {
            return model == other;
        }
    }

    private Decided decided(ElaboratedModel model) {
        for (Decided known : recent) {
            if (known.isOf(model)) {
                return known;
            }
        }
        MicroBatches cut =
                model.microBatches().orElseThrow(() -> new IllegalArgumentException("stages without micro-batches"));
        RoundGraphs written = rounds(model, cut);
        RoundGraphs rounds = decided(written);
        Decided step = new Decided(model, written, rounds, problem(rounds.body()));
        recent.add(step);
        if (recent.size() > MOST_RECENT) {
            recent.removeFirst();
        }
        return step;
    }

    private static RoundGraphs rounds(ElaboratedModel model, MicroBatches cut) {
        SimplifiedGraph forward =
                SimplifyForward.run(model.forward(), model.purpose() != Purpose.EVALUATE, PassListener.NONE);
        return BuildStepGraph.inRounds(forward, cut, model.purpose(), model.training(), PassListener.NONE);
    }

    /** @param budget that parts of the model are cut for */
    private List<PreparedStage> prepare(
            ElaboratedModel model, CompileOptions options, Staging staging, int lead, OptionalLong budget) {
        Decided step = decided(model);
        Optional<StageRoom> room = budget.stream()
                .mapToObj(bytes -> room(options, staging, step.count(), bytes))
                .findFirst();
        ModelParts parts = CutModel.run(step.body(), step.rounds(), step.count(), staging.parts(), room);
        RoundGraphs exchanging = step.rounds();
        if (options.ranks() > 1) {
            exchanging = decided(ExchangePieces.run(
                    step.written(), options.ranks(), options.shares(), parts.ofSums(step.rounds(), step.count())));
        }
        List<StageGraph> graphs = CutStages.run(
                exchanging,
                step.count() / options.ranks(),
                options.ranks(),
                staging.schedule(),
                staging.stages(),
                lead,
                parts.of(exchanging.body()));
        return ParallelMap.run(graphs, stage -> prepare(model, options, stage));
    }

    private PreparedStage prepare(ElaboratedModel model, CompileOptions options, StageGraph stage) {
        Graph graph = target.readsDrawInputs() ? AddDrawInputs.run(stage.graph()) : stage.graph();
        GraphVerifier.verify(graph);
        PreparedStep prepared = new PreparedStep(
                model, options, problem(graph), 1, List.of(), List.of(), List.of(), new StageRunner(Optional.empty()));
        return new PreparedStage(prepared, stage.visits());
    }

    private static StageRoom room(CompileOptions options, Staging staging, int microBatches, long budget) {
        int ranks = options.ranks();
        Sharding level = options.shares().level();
        return StageRoom.of(
                staging,
                budget,
                microBatches / ranks,
                level.sharesOptimizer() ? ranks : 1,
                level.sharesParameters() ? ranks : 1);
    }

    /** All that decides what is computed, as fusion has it for a step that is one. */
    private RoundGraphs decided(RoundGraphs rounds) {
        return new RoundGraphs(
                rounds.counted().map(this::rewritten),
                rewritten(rounds.body()),
                rounds.updates().map(this::rewritten));
    }

    private Graph rewritten(Graph graph) {
        return FuseGraph.rewrite(graph, target, PassListener.NONE);
    }

    private PlanningProblem problem(Graph graph) {
        FusedGraph fused = FuseGraph.group(graph, target, PassListener.NONE);
        GraphVerifier.verify(fused.graph());
        return BuildProblem.run(fused, target, costs);
    }
}
