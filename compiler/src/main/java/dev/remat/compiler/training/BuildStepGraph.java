package dev.remat.compiler.training;

import dev.remat.compiler.simplify.ConcatenatePads;
import dev.remat.compiler.simplify.EliminateCommonSubexpressions;
import dev.remat.compiler.simplify.RemoveDeadNodes;
import dev.remat.compiler.simplify.RemoveStopGradients;
import dev.remat.compiler.simplify.SimplifiedGraph;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.Graph;

/** Appends to a forward graph what its purpose asks for, in the precision asked for. */
public final class BuildStepGraph {
    private BuildStepGraph() {}

    public static StepGraph run(SimplifiedGraph forward, Purpose purpose, TrainingSpec spec) {
        Graph typed = ApplyPrecision.run(forward.graph(), spec.precision());
        ValueId loss = typed.output(ExecutionPlan.LOSS);
        Graph whole = switch (purpose) {
            case EVALUATE -> typed;
            case GRADIENTS ->
                Differentiate.run(typed, loss, new ReportGradients()).graph();
            case TRAIN -> Differentiate.run(typed, loss, new ApplyUpdates(spec)).graph();
        };
        Graph single = EliminateCommonSubexpressions.run(ConcatenatePads.run(RemoveStopGradients.run(whole)));
        return new StepGraph(RemoveDeadNodes.run(single));
    }
}
