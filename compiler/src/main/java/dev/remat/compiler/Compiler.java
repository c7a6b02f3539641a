package dev.remat.compiler;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.memory.ArenaChecker;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.remat.BuildProblem;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.simplify.BindSymbols;
import dev.remat.compiler.simplify.ConcatenatePads;
import dev.remat.compiler.simplify.DeadPins;
import dev.remat.compiler.simplify.EliminateCommonSubexpressions;
import dev.remat.compiler.simplify.RemoveDeadNodes;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.compiler.training.ApplyPrecision;
import dev.remat.compiler.training.ApplyUpdates;
import dev.remat.compiler.training.Differentiate;
import dev.remat.compiler.training.ReportGradients;
import dev.remat.compiler.training.TrainingSpec;
import dev.remat.compiler.unit.FormUnits;
import dev.remat.compiler.unit.MaterializeViews;
import dev.remat.compiler.unit.UnitGraph;
import dev.remat.ir.DType;
import dev.remat.ir.Graph;
import dev.remat.ir.GraphVerifier;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.TargetModel;
import dev.remat.ir.text.GraphPrinter;
import java.util.List;

/** Model to execution plan; {@link #compile} reads as the list of stages. */
public final class Compiler {
    private final TargetModel target;
    private final CostModel costs;
    private final SearchListener listener;

    public Compiler(TargetModel target, CostModel costs) {
        this(target, costs, SearchListener.NONE);
    }

    /** @param listener follows the search for a plan */
    public Compiler(TargetModel target, CostModel costs, SearchListener listener) {
        this.target = target;
        this.costs = costs;
        this.listener = listener;
    }

    /**
     * @throws dev.remat.ir.diagnostic.ModelException if a pin is without effect
     * @throws BudgetException if no plan fits the budget
     */
    public Compilation compile(ElaboratedModel model, CompileOptions options) {
        return compile(prepare(model, options));
    }

    /**
     * The second half.
     *
     * @throws BudgetException if no plan fits the budget
     */
    public Compilation compile(UnplannedStep step) {
        return finish(step, ChoosePlan.run(step, listener));
    }

    /**
     * The second half with the cheapest of sequences that are known to suit the step, without a search.
     *
     * @throws BudgetException if none of them fits the budget
     */
    public Compilation compile(UnplannedStep step, List<OperatorSequence> known) {
        return finish(step, ChoosePlan.among(known, step, listener));
    }

    /**
     * The first half, which does not depend on a plan.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if a pin is without effect
     */
    public UnplannedStep prepare(ElaboratedModel model, CompileOptions options) {
        StageRunner stages = new StageRunner(options.dumpDir());
        TrainingSpec spec = training(model, options);

        stages.run("elaborate", "forward-symbolic", model::forward, GraphPrinter::print);
        Graph forward =
                stages.run("simplify", "forward", () -> simplify(model.forward(), options), GraphPrinter::print);
        Graph training =
                stages.run("autodiff", "training", () -> training(forward, spec, options), GraphPrinter::print);
        UnitGraph units = stages.run(
                "units", "units", () -> FormUnits.run(MaterializeViews.run(training, target), target), Dumps::units);
        PlanningProblem planning = stages.run("plan", () -> BuildProblem.run(units, target, costs));
        return new UnplannedStep(model, options, spec, planning, target, costs, stages);
    }

    private Compilation finish(UnplannedStep step, ChoosePlan.Choice choice) {
        StageRunner stages = step.stages();
        CandidatePlan chosen = choice.plan();
        stages.dump("sequence", () -> Dumps.sequence(step.planning(), chosen));
        stages.dump(
                "rematerialized",
                () -> GraphPrinter.print(chosen.rematerialized().graph()));
        stages.dump("kernels", () -> Dumps.kernels(chosen.kernels()));
        stages.dump("memory", () -> Dumps.memory(chosen.kernels(), chosen.memory()));
        ExecutionPlan plan = stages.run(
                "execution",
                () -> BuildExecutionPlan.run(
                        chosen.kernels(),
                        chosen.memory(),
                        step.model().hash(),
                        target.name(),
                        step.spec().seed()));
        stages.run("check", () -> check(plan));
        return new Compilation(
                step.model(),
                step.options(),
                step.planning(),
                chosen.sequence(),
                chosen.evaluation(),
                choice.keepAll().evaluation(),
                chosen.rematerialized(),
                chosen.kernels(),
                chosen.memory(),
                plan,
                choice.keepAll().arenaBytes(),
                choice.floor(),
                choice.smallestFoundBytes(),
                choice.bound(),
                choice.tighteningRounds(),
                costs,
                stages.seconds());
    }

    private static TrainingSpec training(ElaboratedModel model, CompileOptions options) {
        TrainingSpec spec = model.training();
        return options.seed().isPresent() ? spec.withSeed(options.seed().getAsLong()) : spec;
    }

    private static Graph simplify(Graph symbolic, CompileOptions options) {
        Graph bound = new BindSymbols(options.symbols()).run(symbolic);
        Graph single = new EliminateCommonSubexpressions().run(bound);
        Graph live = new RemoveDeadNodes().run(single);
        if (options.purpose() != CompileOptions.Purpose.EVALUATE) {
            DeadPins.refuse(single, live);
        }
        return verified(live);
    }

    private static Graph training(Graph forward, TrainingSpec spec, CompileOptions options) {
        DType precision = options.doublePrecision() ? DType.F64 : spec.precision();
        Graph typed = new ApplyPrecision(precision).run(forward);
        Graph whole = switch (options.purpose()) {
            case EVALUATE -> typed;
            case GRADIENTS ->
                Differentiate.run(typed, loss(typed), new ReportGradients()).graph();
            case TRAIN ->
                Differentiate.run(typed, loss(typed), new ApplyUpdates(spec)).graph();
        };
        Graph single = new EliminateCommonSubexpressions().run(ConcatenatePads.run(whole));
        return verified(new RemoveDeadNodes().run(single));
    }

    private static ValueId loss(Graph graph) {
        return graph.output(ExecutionPlan.LOSS);
    }

    private ExecutionPlan check(ExecutionPlan plan) {
        ArenaChecker.check(plan, target.alignment());
        return plan;
    }

    private static Graph verified(Graph graph) {
        GraphVerifier.verify(graph);
        return graph;
    }
}
