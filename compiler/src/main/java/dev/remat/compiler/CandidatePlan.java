package dev.remat.compiler;

import dev.remat.compiler.kernel.FormKernels;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.memory.PlanArena;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SequenceEvaluation;
import dev.remat.compiler.remat.InsertRecompute;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.compiler.remat.SeedChain;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.ir.GraphVerifier;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.target.TargetModel;

/** A strategy's answer, carried through to its arena, so that plans are compared by what they really take. */
record CandidatePlan(
        OperatorSequence sequence,
        SequenceEvaluation evaluation,
        RematerializedGraph rematerialized,
        KernelGraph kernels,
        MemoryPlan memory) {
    static CandidatePlan of(PlanningProblem planning, Proposal proposal, TargetModel target, StageRunner stages) {
        OperatorSequence sequence = proposal.sequence();
        RematerializedGraph rematerialized = stages.run("insert", () -> insert(planning, sequence));
        KernelGraph kernels = stages.run("kernels", () -> FormKernels.run(rematerialized, target));
        MemoryPlan memory = stages.run("arena", () -> PlanArena.run(kernels, target));
        return new CandidatePlan(sequence, proposal.evaluation(), rematerialized, kernels, memory);
    }

    private static RematerializedGraph insert(PlanningProblem planning, OperatorSequence sequence) {
        RematerializedGraph rematerialized = InsertRecompute.run(planning, sequence);
        GraphVerifier.verify(rematerialized.graph());
        SeedChain.of(rematerialized.graph()).verify(rematerialized.graph());
        return rematerialized;
    }

    long arenaBytes() {
        return memory.arenaBytes();
    }
}
