package dev.remat.compiler.section;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.ir.plan.OperatorSequence;

/**
 * What a section computes in which order, its kernels, and where they find everything.
 *
 * @param rounds how often it runs in a step
 */
public record PlacedSection(
        PlanningProblem planning,
        OperatorSequence sequence,
        RematerializedGraph rematerialized,
        KernelGraph kernels,
        MemoryPlan memory,
        int rounds) {
    /** What a round costs. */
    public long cost() {
        long cost = 0;
        for (int t = 0; t < sequence.length(); t++) {
            long step = sequence.runs(t) ? planning.problem().cost(sequence.node(t)) : 0;
            cost = Math.addExact(cost, step);
        }
        return cost;
    }

    /** What a round takes with all that it waits for. */
    public long time() {
        return SequenceEvaluator.evaluate(planning.problem(), sequence).cost();
    }

    /** The same in an arena of this size, if that is larger. */
    public PlacedSection inArena(long bytes) {
        return new PlacedSection(planning, sequence, rematerialized, kernels, memory.withArena(bytes), rounds);
    }
}
