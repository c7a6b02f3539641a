package dev.remat.compiler.fusion;

import dev.remat.ir.StridedView;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.View;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Nodes of a group that compute nothing: copies of views of what the group computes, and concatenations of such copies.
 * Their buffers are where the group's operation writes its results to, through strides.
 */
public final class Carriers {
    /**
     * Where results of a group lie.
     *
     * @param carriers nodes of the group that stand for buffers
     */
    record Places(Set<NodeId> carriers, Map<ValueId, Layout> layouts) {
        /** Empty for what does not lie in a carrier's buffer. */
        Optional<Layout> of(ValueId result) {
            return Optional.ofNullable(layouts.get(result));
        }
    }

    private static final Places NONE = new Places(new LinkedHashSet<>(), new LinkedHashMap<>());

    private Carriers() {}

    /** @param nodes of a group, in order */
    public static Set<NodeId> of(Graph graph, List<NodeId> nodes) {
        Set<NodeId> carriers = new LinkedHashSet<>();
        for (NodeId id : nodes) {
            if (isCarrier(graph, graph.node(id), nodes)) {
                carriers.add(id);
            }
        }
        return carriers;
    }

    /** @param nodes of a group, in order */
    static Places places(Graph graph, List<NodeId> nodes) {
        Set<NodeId> carriers = of(graph, nodes);
        if (carriers.isEmpty()) {
            return NONE;
        }
        Map<ValueId, Layout> layouts = new LinkedHashMap<>();
        for (NodeId id : new ArrayList<>(carriers).reversed()) {
            ValueId buffer = graph.node(id).results().getFirst();
            Layout own = layouts.getOrDefault(buffer, Layouts.own(graph, buffer));
            under(graph, id, own).orElseThrow().forEach(layouts::put);
        }
        return new Places(carriers, layouts);
    }

    private static boolean isCarrier(Graph graph, Node node, List<NodeId> nodes) {
        if (!(node.op() instanceof Concat) && !(node.op() instanceof Contiguous)) {
            return false;
        }
        ValueId operand = node.operands().getFirst();
        ValueId below = belowViews(graph, operand);
        boolean inside = graph.value(below).producer().filter(nodes::contains).isPresent();
        return inside && (node.op() instanceof Concat || !below.equals(operand));
    }

    /** The value that {@code value} is a view of; itself where it is none. */
    static ValueId belowViews(Graph graph, ValueId value) {
        Optional<Node> producer = graph.value(value).producer().map(graph::node);
        while (producer.isPresent() && producer.get().op() instanceof View) {
            value = producer.get().operands().getFirst();
            producer = graph.value(value).producer().map(graph::node);
        }
        return value;
    }

    /**
     * How the values below a carrier's operands lie if its own result lies as {@code own} says; empty where views leave
     * out elements, repeat them, or no strides express it.
     */
    static Optional<Map<ValueId, Layout>> under(Graph graph, NodeId carrier, Layout own) {
        Node node = graph.node(carrier);
        Map<ValueId, Layout> layouts = new LinkedHashMap<>();
        long start = 0;
        for (ValueId operand : node.operands()) {
            StridedView part = own.view();
            List<Long> sizes = StridedView.dense(graph.type(operand).shape()).extents();
            if (node.op() instanceof Concat(int axis)) {
                List<Long> starts = new ArrayList<>(Collections.nCopies(sizes.size(), 0L));
                starts.set(axis, start);
                start += sizes.get(axis);
                part = part.slice(starts, sizes);
            }
            Optional<StridedView> below = back(graph, operand, part);
            if (below.isEmpty()) {
                return Optional.empty();
            }
            layouts.put(belowViews(graph, operand), new Layout(own.base(), below.get()));
        }
        return Optional.of(layouts);
    }

    /** How the value below the views lies if {@code value} lies as {@code lies} says. */
    private static Optional<StridedView> back(Graph graph, ValueId value, StridedView lies) {
        Optional<StridedView> at = Optional.of(lies);
        ValueId current = value;
        Optional<Node> producer = graph.value(current).producer().map(graph::node);
        while (at.isPresent() && producer.isPresent() && producer.get().op() instanceof View view) {
            current = producer.get().operands().getFirst();
            Optional<View> inverse = view.inverse(graph.type(current).shape());
            StridedView above = at.get();
            at = inverse.flatMap(op -> op.through(above));
            producer = graph.value(current).producer().map(graph::node);
        }
        return at;
    }
}
