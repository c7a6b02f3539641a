package dev.remat.compiler.unit;

import dev.remat.ir.NodeId;
import dev.remat.ir.Role;
import dev.remat.ir.ValueId;
import java.util.List;

/**
 * Nodes that run as one kernel.
 *
 * @param form what kind of kernel
 * @param nodes in order; views, constants and seeds belong to no unit
 * @param reads buffers it reads, in order of first use: bases of layouts, each once
 * @param writes values it leaves in memory
 * @param overwrites graph inputs whose storage its results take, for updates
 */
public record Unit(
        Form form, List<NodeId> nodes, Role role, List<ValueId> reads, List<ValueId> writes, List<ValueId> overwrites) {
    /** What the executor and the code generator tell kernels apart by. */
    public enum Form {
        /** Every node is elementwise over one iteration shape. */
        ELEMENTWISE,
        /** Elementwise nodes, then one reduction of their result. */
        REDUCTION,
        /** One other node, perhaps with elementwise nodes on its result. */
        ANCHORED
    }

    public Unit {
        nodes = List.copyOf(nodes);
        reads = List.copyOf(reads);
        writes = List.copyOf(writes);
        overwrites = List.copyOf(overwrites);
        if (nodes.isEmpty()) {
            throw new IllegalArgumentException("a unit has nodes");
        }
    }

    /** The node whose result the unit is there for. */
    public NodeId root() {
        return nodes.getLast();
    }
}
