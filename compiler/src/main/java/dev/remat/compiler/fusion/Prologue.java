package dev.remat.compiler.fusion;

import dev.remat.ir.Shape;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Elementwise;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The elementwise nodes that lead to an operation's first operand and to nothing else, so that its kernel may compute
 * them.
 *
 * @param reader the operation
 * @param nodes in order
 * @param leaves what they read and do not make, in order of reading
 */
record Prologue(Node reader, List<Node> nodes, List<ValueId> leaves) {
    /** The nodes that may go to {@code reader}: in its block and role, neither pinned nor read by anyone else. */
    static Prologue of(Graph graph, ValueMap<List<NodeId>> consumers, Node reader) {
        TreeMap<NodeId, Node> nodes = new TreeMap<>();
        Set<ValueId> leaves = new LinkedHashSet<>();
        if (!reader.operands().isEmpty()) {
            collect(graph, consumers, reader, reader.operands().getFirst(), nodes, leaves);
        }
        return new Prologue(reader, List.copyOf(nodes.values()), List.copyOf(leaves));
    }

    private static void collect(
            Graph graph,
            ValueMap<List<NodeId>> consumers,
            Node reader,
            ValueId value,
            TreeMap<NodeId, Node> nodes,
            Set<ValueId> leaves) {
        Optional<Node> maker = graph.value(value)
                .producer()
                .map(graph::node)
                .filter(node -> node.op() instanceof Elementwise && !GroupAssembly.isLiteral(node))
                .filter(node -> isOnly(graph, consumers, value, node, reader));
        if (maker.isEmpty()) {
            leaves.add(value);
            return;
        }
        nodes.put(maker.get().id(), maker.get());
        maker.get().operands().forEach(operand -> collect(graph, consumers, reader, operand, nodes, leaves));
    }

    private static boolean isOnly(
            Graph graph, ValueMap<List<NodeId>> consumers, ValueId value, Node node, Node reader) {
        return consumers.get(value).size() == 1
                && graph.value(value).pin().isEmpty()
                && graph.outputs().stream().noneMatch(output -> output.value().equals(value))
                && node.role() == reader.role()
                && node.origin().region().equals(reader.origin().region());
    }

    /** The leaves that have {@code shape} and that the operation does not read anyway, nor each reader computes. */
    List<ValueId> read(Graph graph, Shape shape) {
        Predicate<ValueId> isRead = leaf -> graph.value(leaf)
                .producer()
                .filter(node -> GroupAssembly.isLiteral(graph.node(node)))
                .isEmpty();
        List<ValueId> others = new ArrayList<>(leaves);
        others.removeAll(reader.operands());
        return others.stream()
                .filter(leaf -> graph.type(leaf).shape().equals(shape))
                .filter(isRead)
                .toList();
    }
}
