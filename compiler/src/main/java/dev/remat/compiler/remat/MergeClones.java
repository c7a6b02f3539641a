package dev.remat.compiler.remat;

import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.SeedOp;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Undoes {@link InsertRecompute}: readers of a clone read its original, and a reset seed is the one that stands at its
 * ordinal. What comes out has the canonical hash of the graph before planning, which is the proof that planning changed
 * no meaning.
 */
public final class MergeClones {
    private final Graph graph;
    private final GraphRewriter rewriter;
    /** Seed of each ordinal, which stands as key, as the originals leave it. */
    private final ValueMap<ValueId> seeds = new ValueMap<>(8);
    /** Nodes that wait for a value: an original may draw with the seed of one that runs after it. */
    private final ValueMap<List<Node>> waiting;

    private MergeClones(Graph graph) {
        this.graph = graph;
        this.rewriter = new GraphRewriter(graph);
        this.waiting = new ValueMap<>(graph.values().size());
    }

    public static Graph run(Graph graph) {
        return new MergeClones(graph).run();
    }

    private Graph run() {
        rewriter.copyInputs();
        graph.nodes().stream().filter(MergeClones::isKept).forEach(this::noteSeed);
        graph.nodes().stream().filter(MergeClones::isKept).forEach(this::copy);
        graph.outputs()
                .forEach(output -> rewriter.target().output(output.name(), rewriter.map(original(output.value()))));
        return rewriter.build();
    }

    private static boolean isKept(Node node) {
        return !node.isClone() && !(node.op() instanceof ResetSeed);
    }

    private void noteSeed(Node node) {
        if (node.op() instanceof SeedOp op) {
            seeds.put(new ValueId(op.seedOrdinal()), node.results().getLast());
        }
    }

    /** Copies a node if all that it reads is there, and then what has waited for it. */
    private void copy(Node first) {
        Deque<Node> ready = new ArrayDeque<>(List.of(first));
        while (!ready.isEmpty()) {
            Node node = ready.remove();
            List<ValueId> missing = node.operands().stream()
                    .map(this::original)
                    .filter(v -> !rewriter.isMapped(v))
                    .toList();
            if (missing.isEmpty()) {
                node.operands().forEach(operand -> rewriter.replace(operand, rewriter.map(original(operand))));
                rewriter.copy(node);
                node.results().forEach(result -> waiting.find(result).ifPresent(ready::addAll));
            } else {
                List<Node> others = waiting.find(missing.getFirst()).orElseGet(ArrayList::new);
                others.add(node);
                waiting.put(missing.getFirst(), others);
            }
        }
    }

    /** The value of an original that {@code value} recomputes; itself where it is one. */
    private ValueId original(ValueId value) {
        if (!(graph.value(value).definition() instanceof Value.Result(NodeId producer, int index))) {
            return value;
        }
        Node node = graph.node(producer);
        return node.op() instanceof ResetSeed reset
                ? seeds.get(new ValueId(reset.ordinal()))
                : node.clonedFrom()
                        .map(id -> graph.node(id).results().get(index))
                        .orElse(value);
    }
}
