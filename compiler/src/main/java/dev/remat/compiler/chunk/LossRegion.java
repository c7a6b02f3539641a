package dev.remat.compiler.chunk;

import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Node;
import java.util.List;
import java.util.Set;

/**
 * What makes and reads the tensors of a loss that are as wide as its logits: forward and backward nodes of a step, in
 * its order. Whatever else they give is a row's own, or a sum over rows that none of them reads.
 *
 * @param loss the first cross-entropy among the nodes
 * @param rows along which all of them can be cut
 * @param wide values that are never whole
 */
record LossRegion(Node loss, RowAxes rows, List<Node> nodes, Set<ValueId> wide) {
    LossRegion {
        nodes = List.copyOf(nodes);
    }
}
