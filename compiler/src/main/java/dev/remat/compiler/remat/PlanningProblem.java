package dev.remat.compiler.remat;

import dev.remat.compiler.fusion.FusedGraph;
import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.ir.ValueId;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.target.KernelWork;
import java.util.List;

/**
 * A fused graph as planners see it.
 *
 * @param problem residents first, then one node a group
 * @param residents number of resident nodes
 * @param values the graph value behind each value of the problem
 * @param work what each group does
 */
public record PlanningProblem(
        FusedGraph fused, RematProblem problem, int residents, List<ValueId> values, List<KernelWork> work) {
    public PlanningProblem {
        values = List.copyOf(values);
        work = List.copyOf(work);
    }

    /** The group behind a node that is no resident. */
    public FusionGroup group(int node) {
        return fused.groups().get(node - residents);
    }

    /** What the group behind a node that is no resident does. */
    public KernelWork work(int node) {
        return work.get(node - residents);
    }

    public long flops(int node) {
        return node < residents ? 0 : work(node).flops();
    }
}
