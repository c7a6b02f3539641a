package dev.remat.compiler.training;

import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.AdafactorUpdate;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.OpEmitter;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Unary;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What Adafactor computes of one parameter before it changes anything.
 *
 * @param states the new ones, in the order of {@link OptimizerState}
 * @param operands of {@code op}, without the factor
 */
record AdafactorStep(AdafactorUpdate op, List<ValueId> operands, List<ValueId> states) {
    /**
     * @param states the old ones
     * @param number of the update, an i64 scalar
     * @param factor of the gradient
     */
    static AdafactorStep of(
            OpEmitter graph,
            Optimizer.Adafactor rule,
            TrainingGraph.ParameterGradient pair,
            List<ValueId> states,
            ValueId rate,
            ValueId number,
            Optional<ValueId> factor) {
        DType dtype = graph.type(pair.parameter()).dtype();
        double epsilon = rule.epsilon().orElse(dtype == DType.F64 ? 0x1p-52 : 0x1p-23);
        ValueId step = graph.cast(number, dtype);
        ValueId share = graph.binary(Binary.Kind.POW, step, graph.filled(rule.decay(), graph.type(step)));
        ValueId wide = graph.cast(pair.gradient(), dtype);
        ValueId gradient = factor.map(f -> graph.mul(wide, repeated(graph, graph.cast(f, dtype), wide)))
                .orElse(wide);
        ValueId squares = graph.mul(gradient, gradient);
        boolean factored = states.size() == 2;
        int rank = graph.type(gradient).rank();
        List<ValueId> moved = factored
                ? List.of(
                        moved(graph, states.get(0), mean(graph, squares, rank - 1), share),
                        moved(graph, states.get(1), mean(graph, squares, rank - 2), share))
                : List.of(moved(graph, states.getFirst(), squares, share));
        List<ValueId> estimate =
                factored ? List.of(relative(graph, moved.getFirst(), epsilon), moved.getLast()) : moved;
        ValueId whole = estimate.stream()
                .map(part -> repeated(graph, part, gradient))
                .reduce(graph::mul)
                .orElseThrow();
        ValueId root = atLeast(graph, graph.unary(Unary.Kind.SQRT, whole), epsilon);
        ValueId change = rootMeanSquare(graph, graph.div(gradient, root));
        ValueId shrink = atLeast(graph, graph.scale(change, 1 / rule.threshold()), 1);
        ValueId slowing = graph.binary(Binary.Kind.MIN, graph.cast(rate, dtype), graph.unary(Unary.Kind.RSQRT, step));
        ValueId size = graph.mul(atLeast(graph, rootMeanSquare(graph, pair.parameter()), rule.leastSize()), slowing);
        return new AdafactorStep(
                new AdafactorUpdate(epsilon, rule.weightDecay(), factored, factor.isPresent()),
                Stream.concat(
                                Stream.of(pair.parameter(), pair.gradient(), rate, graph.div(size, shrink)),
                                estimate.stream())
                        .toList(),
                moved);
    }

    /** {@code state + share·(sample − state)}. */
    private static ValueId moved(OpEmitter graph, ValueId state, ValueId sample, ValueId share) {
        return graph.add(state, graph.mul(repeated(graph, share, state), graph.sub(sample, state)));
    }

    /** Rows divided by their mean, so that their product with columns has the columns' means. */
    private static ValueId relative(OpEmitter graph, ValueId rows, double epsilon) {
        ValueId mean = mean(graph, rows, graph.type(rows).rank() - 2);
        return graph.div(rows, repeated(graph, atLeast(graph, mean, epsilon), rows));
    }

    private static ValueId mean(OpEmitter graph, ValueId x, int axis) {
        return graph.apply(new Reduce(Reduce.Kind.MEAN, List.of(axis)), x);
    }

    private static ValueId rootMeanSquare(OpEmitter graph, ValueId x) {
        TensorType type = graph.type(x);
        ValueId sum = graph.sumTo(graph.mul(x, x), Shape.SCALAR);
        return graph.unary(Unary.Kind.SQRT, graph.scale(sum, 1.0 / type.elements()));
    }

    private static ValueId atLeast(OpEmitter graph, ValueId x, double low) {
        return graph.binary(Binary.Kind.MAX, x, graph.filled(low, graph.type(x)));
    }

    private static ValueId repeated(OpEmitter graph, ValueId x, ValueId like) {
        return graph.expand(x, graph.type(like).shape());
    }
}
