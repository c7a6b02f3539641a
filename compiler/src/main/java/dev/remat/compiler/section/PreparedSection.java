package dev.remat.compiler.section;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.remat.PlanningProblem;

/**
 * A section beside the one that is planned, in its given order: nothing in it is worth recomputing.
 *
 * @param rounds how often it runs in a step
 */
public record PreparedSection(PlanningProblem planning, KernelGraph kernels, int rounds) {
    /** What a round costs. */
    public long cost() {
        long cost = 0;
        for (int node = 0; node < planning.problem().nodeCount(); node++) {
            cost = Math.addExact(cost, planning.problem().cost(node));
        }
        return cost;
    }
}
