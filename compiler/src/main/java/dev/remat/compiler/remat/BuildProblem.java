package dev.remat.compiler.remat;

import dev.remat.compiler.fusion.FusedGraph;
import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.fusion.InPlace;
import dev.remat.ir.Alignment;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Message;
import dev.remat.ir.op.Receive;
import dev.remat.ir.op.Update;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.KernelLimit;
import dev.remat.ir.target.KernelWork;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.List;

/** States groups as a planning problem: aligned bytes, costs, edges, and the user's pins. */
public final class BuildProblem {
    private final FusedGraph fused;
    private final Graph graph;
    private final TargetModel target;
    private final CostModel costs;
    private final InPlace inPlace;
    private final ValueMap<List<NodeId>> consumers;
    private final int[] indexOf;
    private final List<ValueId> values = new ArrayList<>();
    private final List<ProblemNode> nodes = new ArrayList<>();
    private final List<KernelWork> work = new ArrayList<>();

    private BuildProblem(FusedGraph fused, TargetModel target, CostModel costs) {
        this.fused = fused;
        this.graph = fused.graph();
        this.target = target;
        this.costs = costs;
        this.inPlace = new InPlace(graph);
        this.consumers = graph.consumers();
        this.indexOf = new int[graph.values().size()];
    }

    /** @throws dev.remat.ir.diagnostic.ModelException if a pin is without effect, or a kernel would be too large */
    public static PlanningProblem run(FusedGraph fused, TargetModel target, CostModel costs) {
        return new BuildProblem(fused, target, costs).run();
    }

    private PlanningProblem run() {
        for (GraphInput input : graph.inputs()) {
            String id = graph.value(input.value()).name();
            define(input.value());
            nodes.add(ProblemNode.resident(id, aligned(input.value())));
        }
        List<Pin> pins = ResolvePins.run(fused);
        for (int i = 0; i < fused.groups().size(); i++) {
            nodes.add(node(fused.groups().get(i), pins.get(i)));
        }
        List<Integer> outputs = graph.outputs().stream()
                .map(GraphOutput::value)
                .map(value -> indexOf[fused.layouts().get(value).base().index()])
                .distinct()
                .toList();
        RematProblem problem = RematProblem.of(graph.name(), nodes, outputs);
        return new PlanningProblem(fused, problem, problem, graph.inputs().size(), values, work);
    }

    private ProblemNode node(FusionGroup group, Pin pin) {
        KernelWork described = KernelWork.of(group.body());
        work.add(described);
        List<ProblemValue> results = new ArrayList<>();
        for (ValueId write : group.writes()) {
            List<ValueId> candidates = inPlace.candidates(group, write);
            int inPlaceOf = candidates.isEmpty()
                    ? ProblemValue.NONE
                    : indexOf[candidates.getFirst().index()];
            String id = graph.value(write).name();
            results.add(new ProblemValue(id, aligned(write), ProblemValue.NONE, inPlaceOf));
        }
        List<Integer> inputs =
                group.reads().stream().map(read -> indexOf[read.index()]).toList();
        List<Integer> writes =
                group.overwrites().stream().map(value -> indexOf[value.index()]).toList();
        group.writes().forEach(this::define);
        results.addAll(updated(group));
        return new ProblemNode(
                "unit:" + group.root().index(),
                group.role(),
                costs.cost(described),
                workspace(group),
                inputs,
                results,
                writes.isEmpty() && !(graph.node(group.root()).op() instanceof Message),
                false,
                pin,
                writes,
                true,
                ProblemNode.DEVICE,
                isInTurn(group));
    }

    /** What a stage sends, takes, or waits for what it takes; {@link WaitInTurn} says why. */
    private boolean isInTurn(FusionGroup group) {
        return graph.node(group.root()).op() instanceof Message
                || group.reads().stream()
                        .flatMap(read -> graph.value(read).producer().stream())
                        .anyMatch(maker -> graph.node(maker).op() instanceof Receive);
    }

    /** What an update leaves, where another reads it or it is an output: a view of what it overwrites. */
    private List<ProblemValue> updated(FusionGroup group) {
        Node root = graph.node(group.root());
        if (!(root.op() instanceof Update update)) {
            return List.of();
        }
        List<ProblemValue> views = new ArrayList<>();
        for (Update.Write write : update.writes()) {
            ValueId result = root.results().get(write.result());
            boolean isOutput =
                    graph.outputs().stream().anyMatch(output -> output.value().equals(result));
            if (isOutput || !consumers.get(result).isEmpty()) {
                ValueId operand = fused.layouts()
                        .get(root.operands().get(write.operand()))
                        .base();
                views.add(ProblemValue.view(graph.value(result).name(), indexOf[operand.index()]));
                define(result);
            }
        }
        return views;
    }

    private long workspace(FusionGroup group) {
        Node root = graph.node(group.root());
        String name = group.writes().isEmpty()
                ? root.op().mnemonic()
                : graph.value(group.writes().getFirst()).name();
        return KernelLimit.guard(
                target.name(), name, root.origin().location(), () -> align(target.workspaceBytes(group.body())));
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
