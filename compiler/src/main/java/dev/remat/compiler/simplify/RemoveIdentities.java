package dev.remat.compiler.simplify;

import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.StopGradient;

/**
 * Lets readers of a stopped gradient, or of a cast to the dtype that is there already, read what it stands for, once
 * precision and gradients are settled: it is the same tensor, pins included.
 *
 * <pre>
 * before: %1 = stop_gradient(%0)  %2 = exp(%1)
 * after:  %1 = exp(%0)
 * </pre>
 */
public final class RemoveIdentities {
    private RemoveIdentities() {}

    public static Graph run(Graph graph) {
        return GraphRewriter.replace(graph, node -> isIdentity(node, graph), (node, rewriter) -> {
            ValueId result = node.results().getFirst();
            ValueId same = rewriter.map(node.operands().getFirst());
            rewriter.replace(result, same);
            graph.value(result).pin().ifPresent(pin -> rewriter.target().pin(same, pin));
        });
    }

    private static boolean isIdentity(Node node, Graph graph) {
        return node.op() instanceof StopGradient
                || node.op() instanceof Cast cast
                        && graph.type(node.operands().getFirst()).dtype() == cast.dtype();
    }
}
