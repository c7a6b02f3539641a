package dev.remat.compiler.remat;

import dev.remat.ir.Graph;
import dev.remat.ir.GraphRewriter;
import dev.remat.ir.Node;
import dev.remat.ir.NodeId;
import dev.remat.ir.ValueId;
import dev.remat.ir.ValueMap;
import dev.remat.ir.op.RandomOp;
import dev.remat.ir.op.ResetSeed;
import java.util.List;

/**
 * Undoes {@link InsertRecompute}: readers of a clone read its original, and a reset seed is the one that the original
 * drew with. What comes out has the canonical hash of the graph before planning, which is the proof that planning
 * changed no meaning.
 */
public final class MergeClones {
    private MergeClones() {}

    public static Graph run(Graph graph) {
        GraphRewriter rewriter = new GraphRewriter(graph);
        rewriter.copyInputs();
        ValueMap<ValueId> seedAt = new ValueMap<>(16);
        for (Node node : graph.nodes()) {
            if (node.op() instanceof ResetSeed) {
                continue;
            }
            if (node.op() instanceof RandomOp random) {
                ValueId seed = node.operands().getLast();
                ValueId ordinal = new ValueId(random.ordinal());
                if (!rewriter.isMapped(seed)) {
                    rewriter.replace(seed, seedAt.get(ordinal));
                }
                seedAt.put(ordinal, rewriter.map(seed));
            }
            if (node.clonedFrom().isPresent()) {
                merge(rewriter, node, graph.node(node.clonedFrom().get()));
            } else {
                rewriter.copy(node);
            }
        }
        rewriter.copyOutputs();
        return rewriter.build();
    }

    private static void merge(GraphRewriter rewriter, Node clone, Node original) {
        NodeId kept = original.id();
        List<ValueId> results = rewriter.source().node(kept).results();
        for (int i = 0; i < results.size(); i++) {
            rewriter.replace(clone.results().get(i), rewriter.map(results.get(i)));
        }
    }
}
