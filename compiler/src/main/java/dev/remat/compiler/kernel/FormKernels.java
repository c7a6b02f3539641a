package dev.remat.compiler.kernel;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.fusion.GroupAssembly;
import dev.remat.compiler.fusion.Layout;
import dev.remat.compiler.fusion.Layouts;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.ir.Shape;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes each step of the sequence a kernel and lets an elementwise kernel vanish into the next one where that one alone
 * reads its result, element by element. Before planning such a value had a second reader; after it, a clone has only
 * the reader that it was made for. Nothing moves, and no element is computed in another way.
 *
 * <pre>
 * before: kernel {%7 = gelu(%3) remat #5} writes %7      kernel {%8 = mul(%7, %6)} writes %8
 * after:  kernel {%7, %8} writes %8
 * </pre>
 */
public final class FormKernels {
    private final Graph graph;
    private final TargetModel target;
    private final ValueMap<Layout> layouts;
    private final ValueMap<List<NodeId>> consumers;
    private final boolean[] output;
    private final GroupAssembly assembly;

    private FormKernels(Graph graph, TargetModel target) {
        this.graph = graph;
        this.target = target;
        this.layouts = Layouts.of(graph);
        this.consumers = graph.consumers();
        this.output = new boolean[graph.values().size()];
        graph.outputs().forEach(o -> output[o.value().index()] = true);
        this.assembly = new GroupAssembly(graph, layouts);
    }

    public static KernelGraph run(RematerializedGraph rematerialized, TargetModel target) {
        return new FormKernels(rematerialized.graph(), target).run(rematerialized.steps());
    }

    private KernelGraph run(List<List<NodeId>> steps) {
        List<FusionGroup> kernels = new ArrayList<>();
        for (List<NodeId> nodes : steps) {
            if (nodes.isEmpty()) {
                continue;
            }
            FusionGroup next = assembly.assemble(nodes);
            while (!kernels.isEmpty() && vanishesInto(kernels.getLast(), next)) {
                List<NodeId> merged = new ArrayList<>(kernels.removeLast().nodes());
                merged.addAll(next.nodes());
                next = assembly.assemble(merged);
            }
            kernels.add(next);
        }
        return new KernelGraph(graph, layouts, kernels);
    }

    private boolean vanishesInto(FusionGroup first, FusionGroup next) {
        if (first.form() != KernelBody.Form.ELEMENTWISE
                || first.writes().size() != 1
                || first.nodes().size() + next.nodes().size() > FusionGroup.MAX_NODES) {
            return false;
        }
        ValueId value = first.writes().getFirst();
        return !output[value.index()]
                && consumers.get(value).stream().allMatch(next.nodes()::contains)
                && !consumers.get(value).isEmpty()
                && graph.type(value).shape().equals(iterationShape(next));
    }

    /** Shape that the elementwise nodes of a kernel walk; a shape that nothing has where it has no such nodes. */
    private Shape iterationShape(FusionGroup kernel) {
        Node root = graph.node(kernel.root());
        return switch (kernel.form()) {
            case ELEMENTWISE -> graph.type(root.results().getFirst()).shape();
            case REDUCTION ->
                target.fusesPrologue(root.op(), graph.types(root.operands()))
                        ? graph.type(root.operands().getFirst()).shape()
                        : Shape.of(-1);
            case ANCHORED -> Shape.of(-1);
        };
    }
}
