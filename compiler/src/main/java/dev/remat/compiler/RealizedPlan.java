package dev.remat.compiler;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.FoundLayouts;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.compiler.search.Candidate;
import dev.remat.compiler.section.PlacedSection;
import dev.remat.compiler.section.WholeStep;
import java.util.List;
import java.util.stream.Stream;

/**
 * A proposal inserted into the graph, as kernels over an arena.
 *
 * @param step whose plan it is
 * @param before sections that run before the one that was planned
 * @param body the one that was planned; its memory is of an arena that is large enough for all sections
 * @param after sections that run after it
 * @param layouts {@linkplain FoundLayouts#offsets offsets} that were searched for
 */
public record RealizedPlan(
        PreparedStep step,
        Proposal proposal,
        List<PlacedSection> before,
        PlacedSection body,
        List<PlacedSection> after,
        List<List<Long>> layouts)
        implements Candidate {
    public RealizedPlan {
        before = List.copyOf(before);
        after = List.copyOf(after);
        layouts = List.copyOf(layouts);
    }

    /** In the order in which they run. */
    public List<PlacedSection> sections() {
        return Stream.of(before, List.of(body), after).flatMap(List::stream).toList();
    }

    /** All sections side by side, with the kernels of all steps of the plan. */
    public WholeStep whole() {
        return WholeStep.of(before, body, after);
    }

    public RematerializedGraph rematerialized() {
        return body.rematerialized();
    }

    public KernelGraph kernels() {
        return body.kernels();
    }

    public MemoryPlan memory() {
        return body.memory();
    }

    @Override
    public long bytes() {
        return body.memory().arenaBytes();
    }
}
