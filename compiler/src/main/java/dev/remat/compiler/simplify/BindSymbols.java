package dev.remat.compiler.simplify;

import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.Op;
import java.util.List;
import java.util.SequencedMap;

/**
 * Replaces symbols by numbers, in types and attributes.
 *
 * <pre>
 * before: %2 "y" f32[B, 8] = reshape{shape=[B, 8]}(%1)
 * after:  %2 "y" f32[16, 8] = reshape{shape=[16, 8]}(%1)
 * </pre>
 */
public final class BindSymbols {
    private final SequencedMap<String, Long> values;

    private BindSymbols(SequencedMap<String, Long> values) {
        this.values = values;
    }

    /** @param values extents by symbol; others stay symbols */
    public static Graph run(Graph graph, SequencedMap<String, Long> values) {
        return new BindSymbols(values).run(graph);
    }

    private Graph run(Graph graph) {
        GraphRewriter rewriter = new GraphRewriter(graph);
        for (GraphInput input : graph.inputs()) {
            rewriter.copyInput(input, bind(graph.type(input.value())));
        }
        for (Node node : graph.nodes()) {
            Op op = node.op().bind(dim -> dim.substitute(values));
            List<TensorType> types =
                    graph.types(node.results()).stream().map(this::bind).toList();
            rewriter.copy(node, op, types);
        }
        return rewriter.complete();
    }

    private TensorType bind(TensorType type) {
        if (type.shape().isStatic()) {
            return type;
        }
        return type.with(new Shape(
                type.shape().dims().stream().map(dim -> dim.substitute(values)).toList()));
    }
}
