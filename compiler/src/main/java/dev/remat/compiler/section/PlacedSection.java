package dev.remat.compiler.section;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.GatherKernels;
import dev.remat.compiler.memory.GatherKernels.Gathered;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.memory.PlanArena;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.target.TargetModel;
import java.util.List;

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

    /**
     * Beside another section that has placed every tensor that both share: the fastest way that has room, or the one
     * that takes least.
     *
     * @param shared in their places
     * @param arenaBytes that it may take
     */
    public static PlacedSection within(
            PreparedSection section, TargetModel target, List<ArenaTensor> shared, long arenaBytes) {
        PlacedSection least = within(section, section.ways().getFirst(), target, shared);
        for (int w = 1; w < section.ways().size() && least.memory().arenaBytes() > arenaBytes; w++) {
            PlacedSection next = within(section, section.ways().get(w), target, shared);
            least = next.memory().arenaBytes() < least.memory().arenaBytes() ? next : least;
        }
        return least;
    }

    private static PlacedSection within(
            PreparedSection section, PreparedSection.Way way, TargetModel target, List<ArenaTensor> shared) {
        KernelGraph kernels = way.kernels();
        Gathered gathered = GatherKernels.run(kernels, PlanArena.within(kernels, target, shared), target);
        return new PlacedSection(
                section.planning(),
                way.sequence(),
                way.rematerialized(),
                gathered.kernels(),
                gathered.memory(),
                section.rounds());
    }
}
