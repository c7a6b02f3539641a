package dev.remat.compiler.training;

import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CtcLoss;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.View;
import java.util.BitSet;

/**
 * Nodes that weigh and add up losses of rows: what is made element by element of such a loss until one number is left,
 * and what nothing else reads, such as the weights of the classes that rows are of.
 */
final class LossesOfRows {
    private final Graph graph;
    private final BitSet nodes = new BitSet();

    LossesOfRows(Graph graph) {
        this.graph = graph;
        BitSet losses = new BitSet();
        for (Node node : graph.nodes()) {
            boolean follows = isWeighing(node.op()) && node.operands().stream().anyMatch(id -> losses.get(id.index()));
            if (follows) {
                nodes.set(node.id().index());
            }
            if (follows || isLoss(node.op())) {
                node.results().stream().filter(this::isOfRows).forEach(id -> losses.set(id.index()));
            }
        }
        if (!nodes.isEmpty()) {
            addWhatTheyAloneRead();
        }
    }

    boolean contains(Node node) {
        return nodes.get(node.id().index());
    }

    private void addWhatTheyAloneRead() {
        BitSet readByThem = new BitSet();
        BitSet readByOthers = new BitSet();
        for (Node node : graph.nodes().reversed()) {
            boolean theirs =
                    node.results().stream().allMatch(id -> readByThem.get(id.index()) && !readByOthers.get(id.index()));
            if (theirs && (node.op() instanceof Elementwise || isPick(node.op()) || node.op() instanceof View)) {
                nodes.set(node.id().index());
            }
            BitSet read = contains(node) ? readByThem : readByOthers;
            node.operands().forEach(id -> read.set(id.index()));
        }
    }

    /** Whether an operation looks numbers up, which are as wide as they were. */
    static boolean isPick(Op op) {
        return op instanceof Gather || op instanceof Embedding;
    }

    private static boolean isLoss(Op op) {
        return op instanceof CrossEntropy || op instanceof CtcLoss;
    }

    private static boolean isWeighing(Op op) {
        return op instanceof Elementwise || op instanceof View || op instanceof Reduce;
    }

    private boolean isOfRows(ValueId id) {
        return graph.type(id).elements() != 1;
    }
}
