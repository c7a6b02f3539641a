package dev.remat.compiler.chunk;

import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.EmbeddingGradient;
import dev.remat.ir.op.Op;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Adds the gradient that lookups give a table to the other gradients of it where those are, as a head has that shares
 * the table: one table's memory instead of two, with the bits of the addition.
 *
 * <pre>
 * before: %rows = embedding_grad(%dy, %ids)   %sum = add(%others, %rows)
 * after:  %sum = embedding_grad(%dy, %ids, %others)
 * </pre>
 */
final class GoOnWithTables {
    private final Graph graph;
    private final ValueMap<List<NodeId>> consumers;
    /** Additions, and the gradients that become part of them. */
    private final Map<NodeId, Node> joined = new TreeMap<>();

    private GoOnWithTables(Graph graph) {
        this.graph = graph;
        this.consumers = graph.consumers();
    }

    /** @param graph of a step, whose nodes are final but for chunks and fusion */
    static Graph run(Graph graph) {
        return new GoOnWithTables(graph).run();
    }

    private Graph run() {
        for (Node node : graph.nodes()) {
            if (node.op() instanceof Binary(Binary.Kind kind) && kind == Binary.Kind.ADD) {
                node.operands().reversed().stream()
                        .flatMap(operand -> lookups(operand).stream())
                        .findFirst()
                        .ifPresent(lookups -> joined.put(node.id(), lookups));
            }
        }
        if (joined.isEmpty()) {
            return graph;
        }
        GraphRewriter rewriter = new GraphRewriter(graph);
        return rewriter.rewrite(node -> {
            if (joined.containsKey(node.id())) {
                emit(node, joined.get(node.id()), rewriter);
            } else if (!joined.containsValue(node)) {
                rewriter.copy(node);
            }
        });
    }

    /** The gradient that a value is, where nothing else wants it by itself. */
    private Optional<Node> lookups(ValueId value) {
        return graph.value(value)
                .producer()
                .map(graph::node)
                .filter(node -> node.op() instanceof EmbeddingGradient
                        && node.operands().size() == 2)
                .filter(_ -> EmbeddingGradient.isAsWideAsSums(graph.type(value).dtype()))
                .filter(_ -> consumers.get(value).size() == 1
                        && graph.outputs().stream()
                                .noneMatch(output -> output.value().equals(value)));
    }

    private void emit(Node sum, Node lookups, GraphRewriter rewriter) {
        ValueId rows = lookups.results().getFirst();
        ValueId others = sum.operands().get(1 - sum.operands().indexOf(rows));
        GraphBuilder builder = rewriter.target();
        builder.at(lookups.origin()).as(sum.role());
        Op op = lookups.op();
        ValueId made = builder.emit(
                        op,
                        Stream.concat(lookups.operands().stream(), Stream.of(others))
                                .map(rewriter::map)
                                .toList())
                .getFirst();
        Value old = graph.value(sum.results().getFirst());
        builder.rename(made, old.name());
        builder.carry(old, made);
        rewriter.replace(old.id(), made);
    }
}
