package dev.remat.compiler.section;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.ir.plan.OperatorSequence;

/**
 * A section beside the one that is planned, in its given order: nothing in it is worth recomputing.
 *
 * @param rounds how often it runs in a step
 */
public record PreparedSection(
        PlanningProblem planning,
        OperatorSequence sequence,
        RematerializedGraph rematerialized,
        KernelGraph kernels,
        int rounds) {
    /** What a round costs. */
    public long cost() {
        long cost = 0;
        for (int node = 0; node < planning.problem().nodeCount(); node++) {
            cost = Math.addExact(cost, planning.problem().cost(node));
        }
        return cost;
    }
}
