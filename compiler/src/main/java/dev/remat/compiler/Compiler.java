package dev.remat.compiler;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.kernel.FormKernels;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.ArenaChecker;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.memory.PlanArena;
import dev.remat.compiler.remat.BuildProblem;
import dev.remat.compiler.remat.InsertRecompute;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.compiler.remat.SeedChain;
import dev.remat.compiler.simplify.BindSymbols;
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

/** Model to execution plan; {@link #compile} reads as the list of stages. */
public final class Compiler {
    private final TargetModel target;
    private final CostModel costs;

    public Compiler(TargetModel target, CostModel costs) {
        this.target = target;
        this.costs = costs;
    }

    /**
     * @throws dev.remat.ir.diagnostic.ModelException if a pin is without effect
     * @throws BudgetException if no plan fits the budget
     */
    public Compilation compile(ElaboratedModel model, CompileOptions options) {
        StageRunner stages = new StageRunner(options.dumpDir());
        TrainingSpec spec = training(model, options);

        stages.run("elaborate", "forward-symbolic", model::forward, GraphPrinter::print);
        Graph forward = stages.run(
                "simplify", "forward", () -> simplify(model.forward(), options), GraphPrinter::print);
        Graph training = stages.run("autodiff", "training", () -> training(forward, spec, options), GraphPrinter::print);
        UnitGraph units = stages.run(
                "units", "units", () -> FormUnits.run(MaterializeViews.run(training, target), target), Dumps::units);
        PlanningProblem planning = stages.run("plan", () -> BuildProblem.run(units, target, costs));
        ChoosePlan.Choice choice = stages.run(
                "plan", "sequence", () -> new ChoosePlan(target).run(planning, options), c -> Dumps.sequence(planning, c));
        OperatorSequence sequence = choice.sequence();
        RematerializedGraph rematerialized = stages.run(
                "insert", "rematerialized", () -> insert(planning, sequence), r -> GraphPrinter.print(r.graph()));
        KernelGraph kernels = stages.run(
                "kernels", "kernels", () -> FormKernels.run(rematerialized, target), Dumps::kernels);
        MemoryPlan memory = stages.run("arena", "memory", () -> PlanArena.run(kernels, target), m -> Dumps.memory(kernels, m));
        ExecutionPlan plan = stages.run(
                "arena", () -> BuildExecutionPlan.run(kernels, memory, model.hash(), target.name(), spec.seed()));
        stages.run("check", () -> check(plan));
        return new Compilation(
                model, options, planning, sequence, choice.evaluation(), choice.keepAll(), rematerialized, kernels, memory,
                plan, choice.keepAllArenaBytes(), choice.floorBytes(), choice.smallestFoundBytes(), costs.name(),
                stages.seconds());
    }

    private static TrainingSpec training(ElaboratedModel model, CompileOptions options) {
        TrainingSpec spec = model.training();
        return options.seed().isPresent() ? spec.withSeed(options.seed().getAsLong()) : spec;
    }

    private static Graph simplify(Graph symbolic, CompileOptions options) {
        Graph bound = new BindSymbols(options.symbols()).run(symbolic);
        Graph single = new EliminateCommonSubexpressions().run(bound);
        return verified(new RemoveDeadNodes().run(single));
    }

    private static Graph training(Graph forward, TrainingSpec spec, CompileOptions options) {
        DType precision = options.doublePrecision() ? DType.F64 : spec.precision();
        Graph typed = new ApplyPrecision(precision).run(forward);
        Graph whole = switch (options.purpose()) {
            case EVALUATE -> typed;
            case GRADIENTS -> Differentiate.run(typed, loss(typed), new ReportGradients()).graph();
            case TRAIN -> Differentiate.run(typed, loss(typed), new ApplyUpdates(spec)).graph();
        };
        return verified(new RemoveDeadNodes().run(new EliminateCommonSubexpressions().run(whole)));
    }

    private static ValueId loss(Graph graph) {
        return graph.output(ExecutionPlan.LOSS);
    }

    private static RematerializedGraph insert(PlanningProblem planning, OperatorSequence sequence) {
        RematerializedGraph rematerialized = InsertRecompute.run(planning, sequence);
        verified(rematerialized.graph());
        SeedChain.of(rematerialized.graph()).verify(rematerialized.graph());
        return rematerialized;
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
