package dev.remat.compiler.ranks;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.GatherShares;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Statistics of batch norms, which all ranks send each other in one exchange: one behind the other in one vector, of
 * which a rank then has a row of each. They are small and many, and an exchange costs the latency of a message to every
 * rank. They leave when the last has been computed, and are combined when something else is on its way.
 */
final class GatherStatistics {
    private static final String NAME = "statistics";

    private final GraphRewriter rewriter;
    private final int ranks;
    private final List<Node> nodes;
    private Optional<ValueId> gathered = Optional.empty();

    private GatherStatistics(GraphRewriter rewriter, int ranks, List<Node> nodes) {
        this.rewriter = rewriter;
        this.ranks = ranks;
        this.nodes = List.copyOf(nodes);
    }

    /** Of all in a graph that nothing in it reads, and that are of one dtype; those of each part of the model apart. */
    static List<GatherStatistics> byPart(GraphRewriter rewriter, SharedBuckets buckets) {
        Graph graph = rewriter.source();
        ValueMap<List<NodeId>> consumers = graph.consumers();
        List<ValueId> outputs = graph.outputs().stream().map(GraphOutput::value).toList();
        List<Node> unread = graph.nodes().stream()
                .filter(node -> node.op() instanceof CombineStatistics)
                .filter(node -> node.results().stream()
                        .allMatch(result -> consumers.get(result).isEmpty() && !outputs.contains(result)))
                .toList();
        SortedMap<Integer, List<Node>> byPart = new TreeMap<>();
        for (Node node : unread) {
            if (type(graph, node, 0).dtype()
                    == type(graph, unread.getFirst(), 0).dtype()) {
                String accumulator = graph.value(node.operands().getFirst()).name();
                byPart.computeIfAbsent(buckets.part(accumulator), _ -> new ArrayList<>())
                        .add(node);
            }
        }
        return byPart.values().stream()
                .map(nodes -> new GatherStatistics(rewriter, buckets.ranks(), nodes))
                .toList();
    }

    private TensorType type(Node node, int sum) {
        return type(rewriter.source(), node, sum);
    }

    private static TensorType type(Graph graph, Node node, int sum) {
        return graph.type(value(node, sum));
    }

    /** What is added to a sum. */
    private static ValueId value(Node node, int sum) {
        return node.operands().get(((CombineStatistics) node.op()).writes().size() + sum);
    }

    /** Whether a node combines such statistics; sends them if it is the last. */
    boolean takes(Node node) {
        if (!nodes.contains(node)) {
            return false;
        }
        if (node.equals(nodes.getLast())) {
            gathered = Optional.of(send(node));
        }
        return true;
    }

    private ValueId send(Node last) {
        GraphBuilder builder = rewriter.target();
        builder.at(last.origin()).as(Role.BACKWARD);
        List<ValueId> flat = new ArrayList<>();
        for (Node node : nodes) {
            for (int sum = 0; sum < node.results().size(); sum++) {
                flat.add(builder.reshape(
                        rewriter.map(value(node, sum)), Shape.of(type(node, sum).elements())));
            }
        }
        ValueId own = builder.emit(new Concat(0), flat).getFirst();
        builder.rename(own, NAME);
        ValueId all = builder.apply(new GatherShares(ranks), own);
        builder.rename(all, "gathered." + NAME);
        return all;
    }

    /** Combines what has come, if anything has and it has not been combined. */
    void combine() {
        if (gathered.isPresent()) {
            long first = 0;
            for (Node node : nodes) {
                first = combine(node, gathered.get(), first);
            }
            gathered = Optional.empty();
        }
    }

    /** @param first element of the node's statistics in a row */
    private long combine(Node node, ValueId all, long first) {
        GraphBuilder builder = rewriter.target();
        builder.at(node.origin()).as(Role.BACKWARD);
        List<ValueId> operands = new ArrayList<>(rewriter.map(node.operands()));
        int sums = node.results().size();
        long next = first;
        for (int sum = 0; sum < sums; sum++) {
            TensorType type = type(node, sum);
            Slice rows = new Slice(List.of(Dim.of(0), Dim.of(next)), List.of(Dim.of(ranks), Dim.of(type.elements())));
            List<Dim> dims = new ArrayList<>(List.of(Dim.of(ranks)));
            dims.addAll(type.shape().dims());
            operands.set(sums + sum, builder.reshape(builder.apply(rows, all), new Shape(dims)));
            next += type.elements();
        }
        builder.as(node.role());
        Graph graph = rewriter.source();
        List<String> names = node.results().stream()
                .map(result -> graph.value(result).name())
                .toList();
        MicroBatchUpdate update = (MicroBatchUpdate) node.op();
        List<ValueId> results = builder.append(update, operands, graph.types(node.results()), names, Optional.empty());
        for (int result = 0; result < results.size(); result++) {
            rewriter.replace(node.results().get(result), results.get(result));
        }
        return next;
    }
}
