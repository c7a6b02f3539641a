package dev.remat.compiler.section;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.GatherKernels;
import dev.remat.compiler.memory.GatherKernels.Gathered;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.memory.PlanArena;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.target.TargetModel;
import java.util.List;

/**
 * A section's kernels and where they find everything.
 *
 * @param rounds how often it runs in a step
 */
public record PlacedSection(KernelGraph kernels, MemoryPlan memory, int rounds) {
    /**
     * Beside another section that has placed every tensor that both share.
     *
     * @param shared in their places
     */
    public static PlacedSection within(PreparedSection section, TargetModel target, List<ArenaTensor> shared) {
        KernelGraph kernels = section.kernels();
        Gathered gathered = GatherKernels.run(kernels, PlanArena.within(kernels, target, shared), target);
        return new PlacedSection(gathered.kernels(), gathered.memory(), section.rounds());
    }
}
