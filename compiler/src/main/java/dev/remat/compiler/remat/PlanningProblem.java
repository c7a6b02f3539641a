package dev.remat.compiler.remat;

import dev.remat.compiler.unit.Unit;
import dev.remat.compiler.unit.UnitGraph;
import dev.remat.ir.ValueId;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.target.KernelWork;
import java.util.List;

/**
 * A unit graph as planners see it.
 *
 * @param problem residents first, then one node a unit
 * @param residents number of resident nodes
 * @param values the graph value behind each value of the problem
 * @param work what each unit does
 */
public record PlanningProblem(
        UnitGraph units, RematProblem problem, int residents, List<ValueId> values, List<KernelWork> work) {
    public PlanningProblem {
        values = List.copyOf(values);
        work = List.copyOf(work);
    }

    /** The unit behind a node that is no resident. */
    public Unit unit(int node) {
        return units.units().get(node - residents);
    }

    /** What the unit behind a node that is no resident does. */
    public KernelWork work(int node) {
        return work.get(node - residents);
    }

    public long flops(int node) {
        return node < residents ? 0 : work(node).flops();
    }
}
