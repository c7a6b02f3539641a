package dev.remat.compiler.split;

import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Reshape;
import java.util.List;

/**
 * Spells out the mean of a cross-entropy: the sum of the losses of its rows by the number of targets that count, which
 * is that of the whole batch and so no affair of a micro-batch.
 *
 * <pre>
 * before: %2, %3 = cross_entropy{…}(%logits, %targets)
 * after:  %2, %3 = cross_entropy_rows{…}(%logits, %targets)   %4 = reduce_sum(%2)
 *         %5 = ne(%targets, -100)   %6 = reduce_sum(cast(%5))   %7 = div(%4, %6)
 * </pre>
 */
final class CountTargets {
    private static final List<Integer> ROWS = List.of(0);

    private CountTargets() {}

    static Graph run(Graph forward) {
        return GraphRewriter.replace(forward, CountTargets::isMean, CountTargets::spellOut);
    }

    private static boolean isMean(Node node) {
        return node.op() instanceof CrossEntropy loss && !loss.perRow();
    }

    private static void spellOut(Node node, GraphRewriter rewriter) {
        CrossEntropy loss = (CrossEntropy) node.op();
        GraphBuilder builder = rewriter.target();
        builder.at(node.origin()).as(node.role());
        List<ValueId> operands = rewriter.map(node.operands());
        List<ValueId> rows = builder.emit(new CrossEntropy(loss.labelSmoothing(), loss.ignoreIndex(), true), operands);
        DType dtype = builder.type(rows.getFirst()).dtype();
        ValueId counts = builder.cast(builder.compare(Compare.Kind.NE, operands.get(1), loss.ignoreIndex()), dtype);
        ValueId targets = sum(builder, counts);
        ValueId mean = builder.div(sum(builder, rows.getFirst()), targets);
        String name = rewriter.source().value(node.results().getFirst()).name();
        builder.rename(mean, name);
        builder.rename(targets, name + ".targets");
        rewriter.replace(node.results().getFirst(), mean);
        rewriter.replace(node.results().getLast(), rows.getLast());
    }

    private static ValueId sum(GraphBuilder builder, ValueId rows) {
        ValueId sum =
                builder.emit(new Reduce(Reduce.Kind.SUM, ROWS), List.of(rows)).getFirst();
        return builder.emit(new Reshape(Shape.of()), List.of(sum)).getFirst();
    }
}
