package dev.remat.compiler;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.compiler.search.Candidate;
import dev.remat.compiler.section.PlacedSection;
import java.util.List;

/**
 * A proposal inserted into the graph, as kernels over an arena.
 *
 * @param memory of an arena that is large enough for all sections
 * @param before sections that run before the one that was planned
 * @param after sections that run after it
 */
public record RealizedPlan(
        Proposal proposal,
        RematerializedGraph rematerialized,
        KernelGraph kernels,
        MemoryPlan memory,
        List<PlacedSection> before,
        List<PlacedSection> after)
        implements Candidate {
    public RealizedPlan {
        before = List.copyOf(before);
        after = List.copyOf(after);
    }

    @Override
    public long bytes() {
        return memory.arenaBytes();
    }
}
