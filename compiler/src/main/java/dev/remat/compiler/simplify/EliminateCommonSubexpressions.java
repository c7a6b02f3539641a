package dev.remat.compiler.simplify;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.Value;
import dev.remat.ir.op.Op;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Computes equal pure nodes once. Runs before planning and never after it, since it would undo every clone.
 *
 * <pre>
 * before: %1 = exp(%0)  %2 = exp(%0)  %3 = add(%1, %2)
 * after:  %1 = exp(%0)  %2 = add(%1, %1)
 * </pre>
 */
public final class EliminateCommonSubexpressions {
    private record Key(Op op, List<ValueId> operands, List<TensorType> types) {}

    private EliminateCommonSubexpressions() {}

    public static Graph run(Graph graph) {
        GraphRewriter rewriter = new GraphRewriter(graph);
        rewriter.copyInputs();
        Map<Key, List<ValueId>> known = new LinkedHashMap<>();
        for (Node node : graph.nodes()) {
            if (node.role() == Role.UPDATE) {
                rewriter.copy(node);
                continue;
            }
            Key key = new Key(node.op(), rewriter.map(node.operands()), graph.types(node.results()));
            List<ValueId> same = known.get(key);
            if (same == null) {
                known.put(key, rewriter.copy(node));
            } else {
                redirect(rewriter, node, same);
            }
        }
        rewriter.copyOutputs();
        return rewriter.target().nodeCount() == graph.nodes().size() ? graph : rewriter.build();
    }

    private static void redirect(GraphRewriter rewriter, Node node, List<ValueId> same) {
        for (int i = 0; i < same.size(); i++) {
            Value old = rewriter.source().value(node.results().get(i));
            ValueId kept = same.get(i);
            rewriter.replace(old.id(), kept);
            if (old.type().dtype() != DType.SEED) {
                old.pin().ifPresent(pin -> rewriter.target().pin(kept, pin));
            }
        }
    }
}
