package dev.remat.compiler.simplify;

import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Role;

/**
 * Drops nodes that no output and no update depends on. Inputs stay, for their names are the model's interface.
 *
 * <pre>
 * before: %1 = exp(%0)  %2 = neg(%0)  output %2
 * after:  %1 = neg(%0)  output %1
 * </pre>
 */
public final class RemoveDeadNodes {
    private RemoveDeadNodes() {}

    public static Graph run(Graph graph) {
        boolean[] live = new boolean[graph.values().size()];
        graph.outputs().forEach(output -> live[output.value().index()] = true);
        int kept = 0;
        boolean[] keep = new boolean[graph.nodes().size()];
        for (Node node : graph.nodes().reversed()) {
            boolean read = node.role() == Role.UPDATE;
            for (ValueId result : node.results()) {
                read |= live[result.index()];
            }
            if (read) {
                node.operands().forEach(operand -> live[operand.index()] = true);
                keep[node.id().index()] = true;
                kept++;
            }
        }
        if (kept == graph.nodes().size()) {
            return graph;
        }
        GraphRewriter rewriter = new GraphRewriter(graph);
        return rewriter.rewrite(node -> {
            if (keep[node.id().index()]) {
                rewriter.copy(node);
            }
        });
    }
}
