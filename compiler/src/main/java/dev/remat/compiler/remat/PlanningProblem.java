package dev.remat.compiler.remat;

import dev.remat.compiler.fusion.FusedGraph;
import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.ir.Alignment;
import dev.remat.ir.ValueId;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.KernelWork;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

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

    /**
     * The same where values may be moved to tiers, in whole multiples of {@code alignment} bytes. What a caller reads
     * after the step stays.
     */
    public PlanningProblem onTiers(List<Tier> tiers, long alignment) {
        List<ProblemNode> nodes = new ArrayList<>();
        for (int n = 0; n < problem.nodeCount(); n++) {
            ProblemNode node = problem.node(n);
            boolean leaves = IntStream.range(problem.firstResult(n), problem.endResult(n))
                    .anyMatch(problem::output);
            List<ProblemValue> whole = node.results().stream()
                    .map(value -> new ProblemValue(
                            value.id(), Alignment.up(value.bytes(), alignment), value.viewOf(), value.inPlaceOf()))
                    .toList();
            nodes.add(node.resident() ? node : leaves ? node.notOffloadable() : node.withResults(whole));
        }
        RematProblem moving = RematProblem.of(problem.name(), nodes, problem.outputs(), tiers);
        return new PlanningProblem(fused, moving, residents, values, work);
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
