package dev.remat.compiler;

import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.GatherKernels;
import dev.remat.compiler.memory.GatherKernels.Gathered;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.memory.PlanArena;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.compiler.section.PlacedSection;
import dev.remat.compiler.section.PreparedSection;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Gives what all sections of a step compute its place in one arena: first the section that is planned, which has the
 * inputs of all, then the others around those inputs, in turns with it.
 */
final class PlaceStep {
    private final PreparedStep step;
    private final TargetModel target;
    private final List<ArenaTensor> kept;
    private final long roomBytes;

    private PlaceStep(PreparedStep step, TargetModel target, List<ArenaTensor> kept, long roomBytes) {
        this.step = step;
        this.target = target;
        this.kept = kept;
        this.roomBytes = roomBytes;
    }

    /** In an arena of the step's own, of which it may take what its budget says. */
    static PlaceStep alone(PreparedStep step, TargetModel target) {
        return new PlaceStep(
                step, target, List.of(), step.options().budgetBytes().orElse(0));
    }

    /**
     * In the arena of another plan.
     *
     * @param kept what the other keeps in it, in its places; every parameter and state of the step is among it
     * @param roomBytes of that arena
     */
    static PlaceStep beside(PreparedStep step, TargetModel target, List<ArenaTensor> kept, long roomBytes) {
        return new PlaceStep(step, target, kept, roomBytes);
    }

    /**
     * @param inserted what {@code proposal} has become
     * @param kernels of that
     */
    RealizedPlan run(Proposal proposal, RematerializedGraph inserted, KernelGraph kernels) {
        StageRunner stages = step.stages();
        MemoryPlan memory = stages.run("arena", () -> PlanArena.within(kernels, target, kept));
        List<ArenaTensor> shared = new ArrayList<>(kept);
        shared.addAll(BuildExecutionPlan.inputs(kernels, memory));
        long room = Math.max(memory.arenaBytes(), roomBytes);
        List<PlacedSection> before = stages.run("arena", () -> around(shared, step.before(), room));
        List<PlacedSection> after = stages.run("arena", () -> around(shared, step.after(), room));
        long others = Stream.concat(before.stream(), after.stream())
                .mapToLong(section -> section.memory().arenaBytes())
                .max()
                .orElse(0);
        Gathered gathered = stages.run("gather", () -> GatherKernels.run(kernels, memory, target));
        PlacedSection body = new PlacedSection(
                step.planning(),
                proposal.sequence(),
                inserted,
                gathered.kernels(),
                gathered.memory().withArena(others),
                step.rounds());
        return new RealizedPlan(proposal, before, body, after);
    }

    private List<PlacedSection> around(List<ArenaTensor> shared, List<PreparedSection> sections, long room) {
        return sections.stream().map(section -> around(shared, section, room)).toList();
    }

    /** The fastest way that has room, or the one that takes least. */
    private PlacedSection around(List<ArenaTensor> shared, PreparedSection section, long room) {
        PlacedSection least = around(shared, section, section.ways().getFirst());
        for (int w = 1; w < section.ways().size() && least.memory().arenaBytes() > room; w++) {
            PlacedSection next = around(shared, section, section.ways().get(w));
            least = next.memory().arenaBytes() < least.memory().arenaBytes() ? next : least;
        }
        return least;
    }

    private PlacedSection around(List<ArenaTensor> shared, PreparedSection section, PreparedSection.Way way) {
        MemoryPlan memory = PlanArena.within(way.kernels(), target, shared);
        Gathered gathered = GatherKernels.run(way.kernels(), memory, target);
        return new PlacedSection(
                section.planning(),
                way.sequence(),
                way.rematerialized(),
                gathered.kernels(),
                gathered.memory(),
                section.rounds());
    }
}
