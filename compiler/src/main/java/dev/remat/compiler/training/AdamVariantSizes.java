package dev.remat.compiler.training;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.OpEmitter;
import dev.remat.ir.op.Unary;
import java.util.List;
import java.util.Optional;

/**
 * Scalars by which variants of Adam size a step, as PyTorch computes them: in f64, for 1 − beta^step loses digits.
 *
 * @param sizes in the order of {@link dev.remat.ir.op.AdamVariantUpdate.Kind}
 * @param product new product of NAdam's momentums
 */
record AdamVariantSizes(List<ValueId> sizes, Optional<ValueId> product) {
    private static final TensorType SCALAR = TensorType.scalar(DType.F64);
    /** From this many samples behind an average of squares on it can be told how much it varies. */
    private static final double KNOWN = 5;

    /**
     * @param product of NAdam's momentums so far
     * @param number of the update, an i64 scalar
     */
    static AdamVariantSizes of(
            OpEmitter graph, Optimizer.AdamVariant rule, Optional<ValueId> product, ValueId rate, ValueId number) {
        ValueId step = graph.cast(number, DType.F64);
        ValueId lr = graph.cast(rate, DType.F64);
        ValueId first = lack(graph, rule.beta1(), step);
        ValueId second = lack(graph, rule.beta2(), step);
        ValueId whole = graph.div(lr, first);
        return switch (rule.kind()) {
            case AMSGRAD -> new AdamVariantSizes(List.of(whole, inverse(graph, second)), Optional.empty());
            case ADAMAX -> new AdamVariantSizes(List.of(whole), Optional.empty());
            case RADAM -> new AdamVariantSizes(rectified(graph, rule.beta2(), step, whole, second), Optional.empty());
            case NADAM -> {
                ValueId old = product.orElseThrow();
                ValueId now = momentum(graph, rule, step);
                ValueId next = momentum(graph, rule, graph.plus(step, 1));
                ValueId made = graph.mul(graph.cast(old, DType.F64), now);
                yield new AdamVariantSizes(
                        List.of(
                                graph.div(graph.mul(lr, rest(graph, now)), rest(graph, made)),
                                graph.div(graph.mul(lr, next), rest(graph, graph.mul(made, next))),
                                inverse(graph, second)),
                        Optional.of(graph.cast(made, graph.type(old).dtype())));
            }
        };
    }

    /** beta1·(1 − 0.96^(step·decay)/2). */
    private static ValueId momentum(OpEmitter graph, Optimizer.AdamVariant rule, ValueId step) {
        ValueId power = power(graph, 0.96, graph.scale(step, rule.momentumDecay()));
        return graph.scale(rest(graph, graph.scale(power, 0.5)), rule.beta1());
    }

    /** Without the squares while too few samples are behind them, else with a rectified rate. */
    private static List<ValueId> rectified(OpEmitter graph, double beta2, ValueId step, ValueId whole, ValueId second) {
        double most = 2 / (1 - beta2) - 1;
        ValueId gone = graph.div(graph.scale(graph.mul(step, power(graph, beta2, step)), 2), second);
        ValueId samples = graph.sub(graph.filled(most, SCALAR), gone);
        ValueId known = graph.compare(Compare.Kind.GT, samples, KNOWN);
        ValueId enough = graph.binary(Binary.Kind.MAX, samples, graph.filled(KNOWN, SCALAR));
        ValueId above = graph.mul(graph.plus(enough, -4), graph.plus(enough, -2));
        ValueId share = graph.div(graph.scale(above, most / ((most - 4) * (most - 2))), enough);
        ValueId rectified = graph.mul(whole, graph.unary(Unary.Kind.SQRT, graph.mul(share, second)));
        ValueId none = graph.filled(0, SCALAR);
        return List.of(graph.select(known, none, whole), graph.select(known, rectified, none));
    }

    /** 1 − beta^step. */
    private static ValueId lack(OpEmitter graph, double beta, ValueId step) {
        return rest(graph, power(graph, beta, step));
    }

    private static ValueId power(OpEmitter graph, double base, ValueId exponent) {
        return graph.binary(Binary.Kind.POW, graph.filled(base, SCALAR), exponent);
    }

    private static ValueId rest(OpEmitter graph, ValueId x) {
        return graph.sub(graph.filled(1, SCALAR), x);
    }

    private static ValueId inverse(OpEmitter graph, ValueId x) {
        return graph.div(graph.filled(1, SCALAR), x);
    }
}
