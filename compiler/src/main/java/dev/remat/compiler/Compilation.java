package dev.remat.compiler;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.compiler.search.Choice;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.TargetModel;
import java.util.SequencedMap;

/**
 * Everything a compilation made on its way, for reports and checks.
 *
 * @param costs what planning was charged for
 * @param search the plan that was taken, and what it is held against
 * @param seconds wall time by stage
 */
public record Compilation(
        ElaboratedModel model,
        TargetModel target,
        CostModel costs,
        PlanningProblem planning,
        Choice<RealizedPlan> search,
        ExecutionPlan plan,
        SequencedMap<String, Double> seconds) {
    public OperatorSequence sequence() {
        return search.plan().sequence();
    }

    public SequenceEvaluation evaluation() {
        return search.plan().evaluation();
    }

    public RematerializedGraph rematerialized() {
        return search.plan().rematerialized();
    }

    public KernelGraph kernels() {
        return search.plan().kernels();
    }

    public MemoryPlan memory() {
        return search.plan().memory();
    }
}
