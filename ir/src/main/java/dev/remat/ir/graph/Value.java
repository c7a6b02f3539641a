package dev.remat.ir.graph;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.Optional;

/**
 * A tensor in SSA form.
 *
 * @param name readable and unique in its graph, such as {@code block.3.x}
 * @param definition the node or graph input it comes from
 * @param pin what the user asked of it, where that is something
 * @param retained why the planner keeps it for the backward pass, where it does
 * @param mark what it is to training, where that is something
 */
public record Value(
        ValueId id,
        String name,
        TensorType type,
        Definition definition,
        Optional<ValuePin> pin,
        Optional<String> retained,
        Optional<Mark> mark) {
    /** What defines a value. */
    public sealed interface Definition {}

    /** Defined outside the step; {@code index} counts the graph's inputs. */
    public record Input(int index) implements Definition {}

    /** Result {@code index} of a node. */
    public record Result(NodeId node, int index) implements Definition {}

    /** The node that computes this value, if it is not an input. */
    public Optional<NodeId> producer() {
        return definition instanceof Result result ? Optional.of(result.node()) : Optional.empty();
    }
}
