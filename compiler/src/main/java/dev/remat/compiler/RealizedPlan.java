package dev.remat.compiler;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.compiler.search.Candidate;

/** A proposal inserted into the graph, as kernels over an arena. */
public record RealizedPlan(
        Proposal proposal, RematerializedGraph rematerialized, KernelGraph kernels, MemoryPlan memory)
        implements Candidate {
    @Override
    public long bytes() {
        return memory.arenaBytes();
    }
}
