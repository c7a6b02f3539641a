package dev.remat.compiler.training;

import dev.remat.ir.DType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.Broadcast;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.StopGradient;
import dev.remat.ir.op.View;

/**
 * Copies of parameters in a narrower dtype, and views of copies that repeat nothing: values as small as parameters, so
 * that their gradients can be as wide.
 */
final class NarrowCopies {
    private final boolean[] copies;

    private NarrowCopies(boolean[] copies) {
        this.copies = copies;
    }

    static NarrowCopies of(Graph graph) {
        boolean[] parameters = new boolean[graph.values().size()];
        boolean[] copies = new boolean[graph.values().size()];
        for (GraphInput input : graph.inputs()) {
            parameters[input.value().index()] = input.kind() == InputKind.PARAMETER;
        }
        for (Node node : graph.nodes()) {
            if (node.operands().size() != 1 || node.results().size() != 1) {
                continue;
            }
            ValueId operand = node.operands().getFirst();
            int result = node.results().getFirst().index();
            if (node.op() instanceof Cast cast) {
                DType wide = graph.type(operand).dtype();
                copies[result] =
                        parameters[operand.index()] && wide == cast.dtype().accumulator() && wide != cast.dtype();
            } else if (node.op() instanceof View && !(node.op() instanceof StopGradient)) {
                parameters[result] = parameters[operand.index()];
                copies[result] = copies[operand.index()] && !(node.op() instanceof Broadcast);
            }
        }
        return new NarrowCopies(copies);
    }

    boolean contains(ValueId value) {
        return copies[value.index()];
    }
}
