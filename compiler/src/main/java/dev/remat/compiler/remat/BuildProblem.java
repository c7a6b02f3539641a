package dev.remat.compiler.remat;

import dev.remat.compiler.unit.InPlace;
import dev.remat.compiler.unit.Unit;
import dev.remat.compiler.unit.UnitGraph;
import dev.remat.ir.Alignment;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.plan.Phase;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.KernelWork;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.List;

/** States units as a planning problem: aligned bytes, costs, edges, and the user's pins. */
public final class BuildProblem {
    private final UnitGraph units;
    private final Graph graph;
    private final TargetModel target;
    private final CostModel costs;
    private final InPlace inPlace;
    private final int[] indexOf;
    private final List<ValueId> values = new ArrayList<>();
    private final List<ProblemNode> nodes = new ArrayList<>();
    private final List<KernelWork> work = new ArrayList<>();

    private BuildProblem(UnitGraph units, TargetModel target, CostModel costs) {
        this.units = units;
        this.graph = units.graph();
        this.target = target;
        this.costs = costs;
        this.inPlace = new InPlace(graph);
        this.indexOf = new int[graph.values().size()];
    }

    /** @throws dev.remat.ir.diagnostic.ModelException if a pin is without effect */
    public static PlanningProblem run(UnitGraph units, TargetModel target, CostModel costs) {
        return new BuildProblem(units, target, costs).run();
    }

    private PlanningProblem run() {
        for (GraphInput input : graph.inputs()) {
            String id = graph.value(input.value()).name();
            define(input.value());
            nodes.add(ProblemNode.resident(id, aligned(input.value())));
        }
        List<Pin> pins = ResolvePins.run(units);
        for (int i = 0; i < units.units().size(); i++) {
            nodes.add(node(units.units().get(i), pins.get(i)));
        }
        List<Integer> outputs = graph.outputs().stream()
                .map(GraphOutput::value)
                .map(value -> indexOf[units.layouts().get(value).base().index()])
                .distinct()
                .toList();
        RematProblem problem = RematProblem.of(graph.name(), nodes, outputs);
        return new PlanningProblem(units, problem, graph.inputs().size(), values, work);
    }

    private ProblemNode node(Unit unit, Pin pin) {
        KernelWork described = KernelWork.of(unit.body());
        work.add(described);
        List<ProblemValue> results = new ArrayList<>();
        for (ValueId write : unit.writes()) {
            List<ValueId> candidates = inPlace.candidates(unit, write);
            int takesOver = candidates.isEmpty()
                    ? ProblemValue.NONE
                    : indexOf[candidates.getFirst().index()];
            String id = graph.value(write).name();
            results.add(new ProblemValue(id, aligned(write), ProblemValue.NONE, takesOver));
        }
        List<Integer> inputs =
                unit.reads().stream().map(read -> indexOf[read.index()]).toList();
        List<Integer> writes =
                unit.overwrites().stream().map(value -> indexOf[value.index()]).toList();
        unit.writes().forEach(this::define);
        return new ProblemNode(
                "unit:" + unit.root().index(),
                Phase.valueOf(unit.role().name()),
                costs.cost(described),
                align(target.workspaceBytes(unit.body())),
                inputs,
                results,
                writes.isEmpty(),
                false,
                pin,
                writes);
    }

    private void define(ValueId value) {
        indexOf[value.index()] = values.size();
        values.add(value);
    }

    private long aligned(ValueId value) {
        return align(graph.type(value).bytes());
    }

    private long align(long bytes) {
        return Alignment.up(bytes, target.alignment());
    }
}
