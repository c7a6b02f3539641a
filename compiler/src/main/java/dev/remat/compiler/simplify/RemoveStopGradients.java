package dev.remat.compiler.simplify;

import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.StopGradient;

/**
 * Lets readers of a stopped gradient read what it stands for, once all gradients are there: it is the same tensor, pins
 * included.
 *
 * <pre>
 * before: %1 = stop_gradient(%0)  %2 = exp(%1)
 * after:  %1 = exp(%0)
 * </pre>
 */
public final class RemoveStopGradients {
    private RemoveStopGradients() {}

    public static Graph run(Graph graph) {
        if (graph.nodes().stream().noneMatch(node -> node.op() instanceof StopGradient)) {
            return graph;
        }
        GraphRewriter rewriter = new GraphRewriter(graph);
        rewriter.copyInputs();
        for (Node node : graph.nodes()) {
            if (!(node.op() instanceof StopGradient)) {
                rewriter.copy(node);
                continue;
            }
            ValueId result = node.results().getFirst();
            ValueId same = rewriter.map(node.operands().getFirst());
            rewriter.replace(result, same);
            graph.value(result).pin().ifPresent(location -> rewriter.target().pin(same, location));
        }
        rewriter.copyOutputs();
        return rewriter.build();
    }
}
