package dev.remat.compiler;

import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.fusion.FuseGraph;
import dev.remat.compiler.fusion.FusedGraph;
import dev.remat.compiler.pipeline.CutModel;
import dev.remat.compiler.pipeline.CutStages;
import dev.remat.compiler.pipeline.SetChecker;
import dev.remat.compiler.pipeline.SetViolationException;
import dev.remat.compiler.pipeline.StagePrograms;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.remat.BuildProblem;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.simplify.SimplifiedGraph;
import dev.remat.compiler.simplify.SimplifyForward;
import dev.remat.compiler.stage.PassListener;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.compiler.training.BuildStepGraph;
import dev.remat.compiler.training.Purpose;
import dev.remat.compiler.training.RoundGraphs;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanSet;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphVerifier;
import dev.remat.ir.graph.Node;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Compiles a step in stages: decides its operations as for one, cuts them, and plans each stage with all its
 * micro-batches by itself.
 */
public final class CompileStages {
    private final Compiler compiler;
    private final TargetModel target;
    private final CostModel costs;

    /** @param compiler for the target, with the same costs */
    public CompileStages(Compiler compiler, TargetModel target, CostModel costs) {
        this.compiler = compiler;
        this.target = target;
        this.costs = costs;
    }

    /**
     * Plans all stages, each as the options say. Where they would stand still, for one waits
     * until another takes what it
     * sends, messages get more time, and so more memory.
     *
     * @param model of a step that is cut into micro-batches
     * @param options for each stage, a budget among them
     * @throws dev.remat.compiler.pipeline.TooFewBlocksException if the model cannot be cut into so many parts
     * @throws dev.remat.compiler.search.BudgetException if no plan of a stage fits the budget
     */
    public StageSet run(ElaboratedModel model, CompileOptions options, Staging staging) {
        for (int ahead = 1; ; ahead *= 2) {
            List<Compilation> stages = prepare(model, options, staging, ahead).stream()
                    .map(compiler::compile)
                    .toList();
            List<ExecutionPlan> plans = stages.stream().map(Compilation::plan).toList();
            try {
                SetChecker.check(StagePrograms.of(plans, (_, _) -> 0));
                return new StageSet(staging, stages, new PlanSet(plans));
            } catch (SetViolationException e) {
                if (ahead > plans.stream().mapToInt(plan -> plan.steps().size()).sum()) {
                    throw e;
                }
            }
        }
    }

    /**
     * Each stage up to the question of what to recompute.
     *
     * @param ahead for how many visits a message may be on its way, at least 1
     */
    public List<PreparedStep> prepare(ElaboratedModel model, CompileOptions options, Staging staging, int ahead) {
        MicroBatches cut =
                model.microBatches().orElseThrow(() -> new IllegalArgumentException("stages without micro-batches"));
        SimplifiedGraph forward =
                SimplifyForward.run(model.forward(), model.purpose() != Purpose.EVALUATE, PassListener.NONE);
        RoundGraphs decided =
                decided(BuildStepGraph.inRounds(forward, cut, model.purpose(), model.training(), PassListener.NONE));
        PlanningProblem whole = problem(decided.body());
        Map<String, Integer> parts = CutModel.run(whole, decided, cut.count(), staging.parts());
        List<Graph> graphs = CutStages.run(
                decided,
                cut.count(),
                staging.schedule(),
                staging.stages(),
                ahead,
                node -> part(decided.body(), node, parts));
        List<PreparedStep> stages = new ArrayList<>();
        for (Graph graph : graphs) {
            GraphVerifier.verify(graph);
            stages.add(new PreparedStep(
                    model,
                    options,
                    problem(graph),
                    1,
                    List.of(),
                    List.of(),
                    List.of(),
                    new StageRunner(Optional.empty())));
        }
        return stages;
    }

    /** What fusion has put elsewhere stands where what it reads does. */
    private static int part(Graph body, Node node, Map<String, Integer> parts) {
        return parts.getOrDefault(body.value(node.results().getFirst()).name(), 0);
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
