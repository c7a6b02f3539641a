package dev.remat.ir.graph;

import dev.remat.ir.ValueId;
import dev.remat.ir.op.Op;
import java.util.List;
import java.util.Optional;

/**
 * One application of an operation.
 *
 * @param clonedFrom the node that this one recomputes, in a rematerialized graph
 */
public record Node(
        NodeId id,
        Op op,
        List<ValueId> operands,
        List<ValueId> results,
        Role role,
        Origin origin,
        Optional<NodeId> clonedFrom) {
    public Node {
        operands = List.copyOf(operands);
        results = List.copyOf(results);
    }

    public boolean isClone() {
        return clonedFrom.isPresent();
    }
}
