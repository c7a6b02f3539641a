package dev.remat.compiler;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.SequenceEvaluation;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.target.CostModel;
import java.util.SequencedMap;

/**
 * Everything a compilation made on its way, for reports and checks.
 *
 * @param keepAll judgement of the plan that recomputes nothing
 * @param costModel what the planner was charged with
 * @param seconds wall time by stage
 */
public record Compilation(
        ElaboratedModel model,
        CompileOptions options,
        PlanningProblem planning,
        OperatorSequence sequence,
        SequenceEvaluation evaluation,
        SequenceEvaluation keepAll,
        RematerializedGraph rematerialized,
        KernelGraph kernels,
        MemoryPlan memory,
        ExecutionPlan plan,
        long keepAllArenaBytes,
        StepFloor floor,
        long smallestFoundBytes,
        LowerBound bound,
        int tighteningRounds,
        CostModel costModel,
        SequencedMap<String, Double> seconds) {}
