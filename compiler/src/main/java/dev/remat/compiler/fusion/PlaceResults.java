package dev.remat.compiler.fusion;

import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.View;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Lets operations write their results in the order of axes that a reader wants, and side by side where the reader is a
 * concatenation. What copies them moves up and forms a group with the operation, which computes into the copy's place;
 * other readers follow strides.
 *
 * <pre>
 * before: %1, %2 = attention(…)  %3 = exp(%1)  %4 = transpose(%1)  %5 = contiguous(%4)  %6 = matmul(%5, %w)
 * after:  %1, %2 = attention(…)  %3 = transpose(%1)  %4 = contiguous(%3)        one group, writes %4 and %2
 *         %5 = transpose(%4)  %6 = exp(%5)  %7 = matmul(%4, %w)
 * </pre>
 *
 * <p>Requires {@link MaterializeViews}.
 */
public final class PlaceResults {
    private final Graph graph;
    private final GraphRewriter rewriter;
    private final GraphBuilder builder;
    private final FindCarriers find;
    /** Nodes that are in the new graph already, or that nobody needs there. */
    private final Set<NodeId> moved = new LinkedHashSet<>();

    private final ValueMap<List<NodeId>> consumers;
    /** What carriers, and views that lead to them, have become. */
    private final ValueMap<ValueId> carried;

    private final Map<NodeId, NodeId> groups = new LinkedHashMap<>();

    private PlaceResults(Graph graph, TargetModel target) {
        this.graph = graph;
        this.rewriter = new GraphRewriter(graph);
        this.builder = rewriter.target();
        this.find = new FindCarriers(graph, target);
        this.consumers = graph.consumers();
        this.carried = new ValueMap<>(graph.values().size());
    }

    public static PlacedGraph run(Graph graph, TargetModel target) {
        return new PlaceResults(graph, target).run();
    }

    private PlacedGraph run() {
        rewriter.copyInputs();
        for (Node node : graph.nodes()) {
            if (!moved.contains(node.id())) {
                Set<NodeId> carriers = find.of(node);
                if (carriers.isEmpty()) {
                    rewriter.copy(node);
                } else {
                    place(node, carriers);
                }
            }
        }
        return new PlacedGraph(rewriter.complete(), groups);
    }

    private void place(Node node, Set<NodeId> carriers) {
        builder.at(node.origin()).as(node.role());
        List<String> names = new ArrayList<>();
        for (ValueId result : node.results()) {
            String name = graph.value(result).name();
            names.add(copyOf(result, carriers).isPresent() ? name + ".strided" : name);
        }
        List<ValueId> operands = rewriter.map(node.operands());
        List<ValueId> results =
                builder.append(node.op(), operands, graph.types(node.results()), names, Optional.empty());
        List<NodeId> members = new ArrayList<>(List.of(builder.lastNode().id()));
        for (int i = 0; i < results.size(); i++) {
            rewriter.replace(node.results().get(i), results.get(i));
            carried.put(node.results().get(i), results.get(i));
        }
        for (NodeId carrier : carriers) {
            ValueId old = graph.node(carrier).results().getFirst();
            rewriter.replace(old, carry(old));
            members.add(builder.lastNode().id());
        }
        members.forEach(member -> groups.put(member, members.getLast()));
        moved.addAll(carriers);
        carriers.forEach(carrier -> graph.node(carrier).operands().forEach(this::dropViews));
        for (ValueId result : node.results()) {
            copyOf(result, carriers).ifPresent(copy -> takeOver(result, copy));
        }
    }

    /** The copy, among the carriers, that stands for a result. */
    private Optional<Node> copyOf(ValueId result, Set<NodeId> carriers) {
        return carriers.stream()
                .map(graph::node)
                .filter(carrier -> carrier.op() instanceof Contiguous)
                .filter(carrier -> Carriers.belowViews(graph, carrier.operands().getFirst())
                        .equals(result))
                .findFirst();
    }

    /** Makes a carrier, or a view that leads to one, after the operation. */
    private ValueId carry(ValueId old) {
        return carried.find(old).orElseGet(() -> {
            Node node = graph.node(graph.value(old).producer().orElseThrow());
            List<ValueId> operands = node.operands().stream().map(this::carry).toList();
            ValueId now = builder.emit(node.op(), operands).getFirst();
            builder.rename(now, graph.value(old).name());
            carried.put(old, now);
            return now;
        });
    }

    /** Leaves out views that only lead to carriers. */
    private void dropViews(ValueId value) {
        Node node = graph.node(graph.value(value).producer().orElseThrow());
        if (node.op() instanceof View && moved.containsAll(consumers.get(value))) {
            moved.add(node.id());
            dropViews(node.operands().getFirst());
        }
    }

    /** Gives a copy the name of the result and the user's pin, and lets other readers of the result read the copy. */
    private void takeOver(ValueId result, Node copy) {
        Value before = graph.value(result);
        ValueId now = rewriter.map(copy.results().getFirst());
        builder.rename(now, before.name());
        ValueId buffer = now;
        before.pin().ifPresent(pin -> builder.pin(buffer, pin));
        if (moved.containsAll(consumers.get(result))) {
            return;
        }
        ValueId seen = copy.operands().getFirst();
        while (!seen.equals(result)) {
            Node view = graph.node(graph.value(seen).producer().orElseThrow());
            seen = view.operands().getFirst();
            View back = ((View) view.op()).inverse(graph.type(seen).shape()).orElseThrow();
            now = builder.apply(back, now);
        }
        rewriter.replace(result, now);
    }
}
