package dev.remat.compiler;

import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.FoundLayouts;
import dev.remat.compiler.memory.GatherKernels;
import dev.remat.compiler.memory.GatherKernels.Gathered;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.memory.PlanArena;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.section.PlacedSection;
import dev.remat.compiler.section.PreparedSection;
import dev.remat.compiler.section.PreparedSection.Way;
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
    private final FoundLayouts layouts;

    private PlaceStep(
            PreparedStep step, TargetModel target, List<ArenaTensor> kept, long roomBytes, FoundLayouts layouts) {
        this.step = step;
        this.target = target;
        this.kept = kept;
        this.roomBytes = roomBytes;
        this.layouts = layouts;
    }

    /**
     * In an arena of the step's own, of which it may take what its budget says.
     *
     * @param layouts that are known of the plan
     */
    static PlaceStep alone(PreparedStep step, TargetModel target, FoundLayouts layouts) {
        return new PlaceStep(
                step, target, List.of(), step.options().budgetBytes().orElse(0), layouts);
    }

    /**
     * In the arena of another plan.
     *
     * @param kept what the other keeps in it, in its places; every parameter and state of the step is among it
     * @param roomBytes of that arena
     */
    static PlaceStep beside(PreparedStep step, TargetModel target, List<ArenaTensor> kept, long roomBytes) {
        return new PlaceStep(step, target, kept, roomBytes, new FoundLayouts());
    }

    /** @param way how the section that is planned does what {@code proposal} says */
    RealizedPlan run(Proposal proposal, Way way) {
        PlacedSection body = place(step.planning(), way, step.rounds(), kept, roomBytes);
        List<ArenaTensor> shared = new ArrayList<>(kept);
        shared.addAll(BuildExecutionPlan.inputs(body.kernels(), body.memory()));
        long room = Math.max(body.memory().arenaBytes(), roomBytes);
        List<PlacedSection> before = around(shared, step.before(), room);
        List<PlacedSection> after = around(shared, step.after(), room);
        long others = Stream.concat(before.stream(), after.stream())
                .mapToLong(section -> section.memory().arenaBytes())
                .max()
                .orElse(0);
        return new RealizedPlan(step, proposal, before, body.inArena(others), after, layouts.offsets());
    }

    private List<PlacedSection> around(List<ArenaTensor> shared, List<PreparedSection> sections, long room) {
        return sections.stream().map(section -> around(shared, section, room)).toList();
    }

    /** The fastest way that has room, or the one that takes least. */
    private PlacedSection around(List<ArenaTensor> shared, PreparedSection section, long room) {
        PlacedSection least = place(section.planning(), section.ways().getFirst(), section.rounds(), shared, room);
        for (int w = 1; w < section.ways().size() && least.memory().arenaBytes() > room; w++) {
            PlacedSection next = place(section.planning(), section.ways().get(w), section.rounds(), shared, room);
            least = next.memory().arenaBytes() < least.memory().arenaBytes() ? next : least;
        }
        return least;
    }

    /** @param others that have their places already, in an arena of {@code room} bytes */
    private PlacedSection place(PlanningProblem planning, Way way, int rounds, List<ArenaTensor> others, long room) {
        StageRunner stages = step.stages();
        KernelGraph kernels = way.kernels();
        MemoryPlan memory = stages.run("arena", () -> PlanArena.within(kernels, target, others, room, layouts));
        Gathered gathered = stages.run("gather", () -> GatherKernels.run(kernels, memory, target));
        return new PlacedSection(
                planning, way.sequence(), way.rematerialized(), gathered.kernels(), gathered.memory(), rounds);
    }
}
