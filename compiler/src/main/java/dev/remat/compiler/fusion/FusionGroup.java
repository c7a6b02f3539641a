package dev.remat.compiler.fusion;

import dev.remat.ir.ValueId;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Role;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Nodes that run as one kernel.
 *
 * @param nodes in order; views, constants and seeds belong to no fusion group
 * @param body of the kernel
 * @param reads the body's buffers: bases of layouts, each once
 * @param results the value whose buffer each of the body's writes goes to; several may share one
 * @param overwrites graph inputs, or buffers that they were fetched to, whose storage its results take, for updates,
 *     in the order of the body's writes
 */
public record FusionGroup(
        List<NodeId> nodes,
        Role role,
        KernelBody body,
        List<ValueId> reads,
        List<ValueId> results,
        List<ValueId> overwrites) {
    /** Enough for every composite; bounds the registers of a kernel. */
    public static final int MAX_NODES = 48;

    public FusionGroup {
        nodes = List.copyOf(nodes);
        reads = List.copyOf(reads);
        results = List.copyOf(results);
        overwrites = List.copyOf(overwrites);
        if (nodes.isEmpty()) {
            throw new IllegalArgumentException("a fusion group has nodes");
        }
    }

    /** The same where what it reads and overwrites goes by other names. */
    public FusionGroup renamed(UnaryOperator<ValueId> name) {
        return new FusionGroup(
                nodes,
                role,
                body,
                reads.stream().map(name).toList(),
                results,
                overwrites.stream().map(name).toList());
    }

    /** Whether it reads a buffer or writes over it. */
    public boolean needs(ValueId buffer) {
        return reads.contains(buffer) || overwrites.contains(buffer);
    }

    /** Values it leaves in buffers of their own. */
    public List<ValueId> writes() {
        return results.stream().distinct().toList();
    }

    public KernelBody.Form form() {
        return body.form();
    }

    /** The node whose result the group is there for. */
    public NodeId root() {
        return nodes.getLast();
    }
}
