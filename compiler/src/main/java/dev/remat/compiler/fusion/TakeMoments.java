package dev.remat.compiler.fusion;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Takes mean and variance of each channel where a convolution makes it, if the target can, so that nobody reads all of
 * the result for them. What normalizes stays an operation of its own.
 *
 * <pre>
 * before: %y = conv2d(%x, %w)   %mean, %variance = norm_statistics{axes=[0, 1, 2], centered=true}(%y)
 * after:  %y, %mean, %variance = conv2d{moments=true}(%x, %w)
 * </pre>
 */
public final class TakeMoments {
    private final Graph graph;
    private final GraphRewriter rewriter;
    private final GraphBuilder builder;
    /** The statistics that a convolution gives, by the convolution. */
    private final Map<NodeId, Node> statistics = new LinkedHashMap<>();

    private TakeMoments(Graph graph) {
        this.graph = graph;
        this.rewriter = new GraphRewriter(graph);
        this.builder = rewriter.target();
    }

    public static Graph run(Graph graph, TargetModel target) {
        return new TakeMoments(graph).run(target);
    }

    private Graph run(TargetModel target) {
        for (Node node : graph.nodes()) {
            if (node.op() instanceof NormStatistics op) {
                convolution(node, op, target).ifPresent(maker -> statistics.putIfAbsent(maker.id(), node));
            }
        }
        if (statistics.isEmpty()) {
            return graph;
        }
        return rewriter.rewrite(node -> {
            if (statistics.containsKey(node.id())) {
                copyWithMoments(node, statistics.get(node.id()));
            } else if (!statistics.containsValue(node)) {
                rewriter.copy(node);
            }
        });
    }

    /** The convolution whose channels {@code node} takes the moments of. */
    private Optional<Node> convolution(Node node, NormStatistics op, TargetModel target) {
        return graph.value(node.operands().getFirst())
                .producer()
                .map(graph::node)
                .filter(maker -> maker.op() instanceof Conv2d conv
                        && !conv.moments()
                        && conv.statistics().equals(op)
                        && maker.role() == node.role()
                        && maker.origin().region().equals(node.origin().region())
                        && target.givesMoments(conv, graph.types(maker.operands()), graph.types(maker.results())));
    }

    private void copyWithMoments(Node maker, Node taker) {
        List<ValueId> old = Stream.concat(maker.results().stream(), taker.results().stream())
                .toList();
        Conv2d op = new Conv2d(((Conv2d) maker.op()).geometry(), true);
        List<TensorType> types = graph.types(old);
        List<String> names = old.stream().map(id -> graph.value(id).name()).toList();
        builder.at(maker.origin()).as(maker.role());
        List<ValueId> made =
                new ArrayList<>(builder.append(op, rewriter.map(maker.operands()), types, names, Optional.empty()));
        for (int i = 0; i < old.size(); i++) {
            ValueId now = made.get(i);
            graph.value(old.get(i)).pin().ifPresent(pin -> builder.pin(now, pin));
            rewriter.replace(old.get(i), now);
        }
    }
}
