package dev.remat.compiler.training;

import dev.remat.ir.DType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Mark;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.Cast;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Rounds what a micro-batch adds to sums of gradients, which stay as wide as they are, so that ranks send half as much.
 *
 * <pre>
 * before: %4 = accumulate(%accumulated.w, %grad.w, %micro_batch)
 * after:  %2 bf16 = cast(%grad.w)  %3 f32 = cast(%2)  %4 = accumulate(%accumulated.w, %3, %micro_batch)
 * </pre>
 */
final class RoundGradients {
    private RoundGradients() {}

    /** @param spec which says to what */
    static RoundGraphs run(RoundGraphs rounds, TrainingSpec spec) {
        DType narrow = spec.gradients();
        if (narrow == DType.F32 || spec.precision() == DType.F64) {
            return rounds;
        }
        Graph body = rounds.body();
        return new RoundGraphs(
                rounds.counted(),
                GraphRewriter.replace(
                        body,
                        node -> addsGradient(node, body)
                                && !isOf(narrow, node.operands().get(1), body),
                        (node, rewriter) -> round(node, narrow, rewriter)),
                rounds.updates());
    }

    private static boolean addsGradient(Node node, Graph body) {
        return node.op() instanceof Accumulate
                && body.value(node.operands().getFirst()).mark().equals(Optional.of(Mark.GRADIENT));
    }

    /** Whether a value was widened from that. */
    private static boolean isOf(DType narrow, ValueId value, Graph body) {
        return body.value(value)
                .producer()
                .map(body::node)
                .filter(node -> node.op() instanceof Cast)
                .filter(cast -> body.type(cast.operands().getFirst()).dtype() == narrow)
                .isPresent();
    }

    private static void round(Node node, DType narrow, GraphRewriter rewriter) {
        GraphBuilder builder = rewriter.target();
        List<ValueId> operands = new ArrayList<>(rewriter.map(node.operands()));
        ValueId gradient = operands.get(1);
        builder.at(node.origin()).as(Role.BACKWARD);
        ValueId rounded = builder.cast(gradient, narrow);
        builder.mark(rounded, Mark.GRADIENT);
        operands.set(1, builder.cast(rounded, builder.type(gradient).dtype()));
        builder.as(node.role());
        Graph body = rewriter.source();
        ValueId sum = node.results().getFirst();
        List<String> name = List.of(body.value(sum).name());
        rewriter.replace(
                sum,
                builder.append(node.op(), operands, body.types(node.results()), name, Optional.empty())
                        .getFirst());
    }
}
