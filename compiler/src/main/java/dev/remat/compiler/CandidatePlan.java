package dev.remat.compiler;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.plan.SequenceEvaluation;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.ir.plan.OperatorSequence;

/** A sequence carried through to its arena, so that plans are compared by what they really take. */
public record CandidatePlan(
        OperatorSequence sequence,
        SequenceEvaluation evaluation,
        RematerializedGraph rematerialized,
        KernelGraph kernels,
        MemoryPlan memory) {
    public long arenaBytes() {
        return memory.arenaBytes();
    }
}
