package dev.remat.compiler.chunk;

import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Value;
import dev.remat.ir.op.CrossEntropyGradient;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.RandomOp;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Reshape;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Sums the gradient of wide logits over its rows as a product with ones, since chunks go on with sums of products: the
 * gradient of a head's bias. It depends on shapes alone and is so without chunks, too, for bits not to depend on them.
 *
 * <pre>
 * before: %dlogits = cross_entropy_grad(…)   %db = reduce_sum{axes=[0]}(%dlogits)
 * after:  %ones = constant{value=1.0, shape=[512, 1]}()   %db = matmul{transpose_a=true}(%ones, %dlogits)
 * </pre>
 */
final class SumRowsByProducts {
    /** Classes from which logits may be worth chunks. */
    private static final long WIDE = 4096;
    /** Rows of which there are chunks. */
    private static final long MANY = 512;

    private final Graph graph;
    /** Whatever elementwise operations make of the gradients of logits. */
    private final Set<ValueId> gradients = new TreeSet<>();

    private SumRowsByProducts(Graph graph) {
        this.graph = graph;
    }

    /** @param graph of a step, whose nodes are final but for chunks and fusion */
    static Graph run(Graph graph) {
        return new SumRowsByProducts(graph).run();
    }

    private Graph run() {
        graph.nodes().forEach(this::follow);
        return GraphRewriter.replace(graph, this::isSumOfRows, this::emit);
    }

    private void follow(Node node) {
        boolean follows = switch (node.op()) {
            case CrossEntropyGradient _ -> true;
            case RandomOp _ -> false;
            case Reshape _ -> gradients.contains(node.operands().getFirst());
            case Elementwise _ -> node.operands().stream().anyMatch(gradients::contains);
            case Op _ -> false;
        };
        if (follows) {
            gradients.addAll(node.results());
        }
    }

    private boolean isSumOfRows(Node node) {
        if (!(node.op() instanceof Reduce sum)
                || sum.kind() != Reduce.Kind.SUM
                || !gradients.contains(node.operands().getFirst())) {
            return false;
        }
        TensorType x = graph.type(node.operands().getFirst());
        int last = x.rank() - 1;
        return x.dtype().isFloat()
                && sum.axes().equals(IntStream.range(0, last).boxed().toList())
                && x.dim(last).value() >= WIDE
                && x.elements() / x.dim(last).value() >= MANY;
    }

    private void emit(Node node, GraphRewriter rewriter) {
        ValueId result = node.results().getFirst();
        TensorType x = graph.type(node.operands().getFirst());
        long columns = x.dim(x.rank() - 1).value();
        long rows = x.elements() / columns;
        GraphBuilder builder = rewriter.target();
        builder.at(node.origin()).as(node.role());
        ValueId ones = builder.filled(1, x.with(Shape.of(rows, 1)));
        ValueId flat = builder.reshape(rewriter.map(node.operands().getFirst()), Shape.of(rows, columns));
        MatMul product = new MatMul(true, false, ((Reduce) node.op()).wide());
        ValueId sum = builder.reshape(
                builder.apply(product, ones, flat), graph.type(result).shape());
        Value old = graph.value(result);
        builder.rename(sum, old.name());
        builder.carry(old, sum);
        rewriter.replace(result, sum);
    }
}
