package dev.remat.compiler.fusion;

import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.View;
import java.util.Optional;

/** Follows views to the buffers below them; seeds have no layout. */
public final class Layouts {
    private Layouts() {}

    /** Layout of every value; a view that no strides express is a buffer of its own. */
    public static ValueMap<Layout> of(Graph graph) {
        ValueMap<Layout> layouts = new ValueMap<>(graph.values().size());
        for (GraphInput input : graph.inputs()) {
            layouts.put(input.value(), own(graph, input.value()));
        }
        for (Node node : graph.nodes()) {
            Optional<Layout> view = through(node, layouts);
            for (ValueId result : node.results()) {
                if (graph.type(result).dtype() != DType.SEED) {
                    layouts.put(result, view.orElseGet(() -> own(graph, result)));
                }
            }
        }
        return layouts;
    }

    /** A buffer of its own, row-major. */
    static Layout own(Graph graph, ValueId value) {
        return new Layout(value, StridedView.dense(graph.type(value).shape()));
    }

    private static Optional<Layout> through(Node node, ValueMap<Layout> layouts) {
        if (!(node.op() instanceof View view)) {
            return Optional.empty();
        }
        Layout operand = layouts.get(node.operands().getFirst());
        return view.through(operand.view()).map(strided -> new Layout(operand.base(), strided));
    }
}
