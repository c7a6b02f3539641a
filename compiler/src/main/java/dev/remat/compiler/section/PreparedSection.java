package dev.remat.compiler.section;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.ir.plan.OperatorSequence;
import java.util.List;

/**
 * A section beside the one that is planned, in its given order: nothing in it is worth recomputing.
 *
 * @param ways to run it, the fastest first: one, unless it brings what lives below the arena
 * @param rounds how often it runs in a step
 */
public record PreparedSection(PlanningProblem planning, List<Way> ways, int rounds) {
    /** A sequence of the section's nodes, and its kernels. */
    public record Way(OperatorSequence sequence, RematerializedGraph rematerialized, KernelGraph kernels) {}

    public PreparedSection {
        ways = List.copyOf(ways);
    }

    /** What a round costs, however long it waits for what it moves. */
    public long cost() {
        long cost = 0;
        for (int node = 0; node < planning.problem().nodeCount(); node++) {
            cost = Math.addExact(cost, planning.problem().cost(node));
        }
        return cost;
    }
}
