package dev.remat.tests.reference;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionBiasGradient;
import dev.remat.ir.op.AttentionGradient;
import java.util.List;

/** Attention with all its scores written out. */
final class AttentionReference {
    private AttentionReference() {}

    static List<Tensor> forward(Evaluation e, Attention op) {
        Tensor k = e.operand(1);
        Tensor v = e.operand(2);
        Tensor scores = scores(e, op, 0, op.maskIndex(), op.biasIndex());
        Tensor lse = new Tensor(
                e.types().get(1), finite(Reductions.logSumExp(scores)).data());
        Tensor p = Tensor.generate(scores.type(), i -> weight(scores, lse, i));
        long group = e.operand(0).extent(1) / k.extent(1);
        Tensor o = Tensor.generate(
                e.type(), i -> p.dot(3, from(i[0], i[1], i[2], 0), v, 2, from(i[0], i[1] / group, 0, i[3])));
        return List.of(o, lse);
    }

    /** Probabilities, and what the loss loses by the scores before they are scaled. */
    private record Slopes(Tensor p, Tensor ds) {
        static Slopes of(Evaluation e, AttentionGradient op) {
            Tensor dout = e.operand(0);
            Tensor v = e.operand(3);
            Tensor o = e.operand(4);
            Tensor lse = e.operand(5);
            Tensor scores = scores(e, op.forward(), 1, op.maskIndex(), op.biasIndex());
            Tensor p = Tensor.generate(scores.type(), i -> weight(scores, lse, i));
            long group = dout.extent(1) / v.extent(1);
            Tensor ds = Tensor.generate(scores.type(), i -> {
                long[] row = from(i[0], i[1], i[2], 0);
                double gain = dout.dot(3, row, v, 3, from(i[0], i[1] / group, i[3], 0));
                return p.at(i) * (gain - dout.dot(3, row, o, 3, row));
            });
            return new Slopes(p, ds);
        }
    }

    static List<Tensor> gradient(Evaluation e, AttentionGradient op) {
        Tensor dout = e.operand(0);
        Tensor q = e.operand(1);
        Tensor k = e.operand(2);
        Tensor v = e.operand(3);
        Slopes slopes = Slopes.of(e, op);
        Tensor p = slopes.p();
        Tensor ds = slopes.ds();
        double scale = op.forward().scale();
        long group = q.extent(1) / k.extent(1);
        Tensor dq = Tensor.generate(
                q.type(), i -> scale * ds.dot(3, from(i[0], i[1], i[2], 0), k, 2, from(i[0], i[1] / group, 0, i[3])));
        Tensor dk = Tensor.generate(k.type(), i -> scale * overQueries(ds, q, group, i));
        Tensor dv = Tensor.generate(v.type(), i -> overQueries(p, dout, group, i));
        return List.of(dq, dk, dv);
    }

    static Tensor biasGradient(Evaluation e, AttentionBiasGradient op) {
        Tensor ds = Slopes.of(e, op.others()).ds();
        Tensor sum = Tensor.zeros(e.type());
        Tensor.forEachIndex(ds.type().shape(), i -> sum.addRepeated(ds.at(i), i));
        return sum;
    }

    /**
     * Key {@code i[2]}'s weights times column {@code i[3]}, over the queries of the heads that share head {@code i[1]}.
     */
    private static double overQueries(Tensor weights, Tensor columns, long group, long[] i) {
        double sum = 0;
        for (long head = i[1] * group; head < (i[1] + 1) * group; head++) {
            sum += weights.dot(2, from(i[0], head, 0, i[2]), columns, 2, from(i[0], head, 0, i[3]));
        }
        return sum;
    }

    private static long[] from(long... index) {
        return index;
    }

    private static Tensor scores(Evaluation e, Attention op, int first, int maskIndex, int biasIndex) {
        Tensor q = e.operand(first);
        Tensor k = e.operand(first + 1);
        Dim keys = k.type().dim(2);
        long group = q.extent(1) / k.extent(1);
        TensorType type = q.type().with(q.type().shape().with(3, keys));
        return Tensor.generate(type, i -> {
            if (op.causal() && i[3] > i[2]
                    || op.masked() && e.operand(maskIndex).repeated(i) == 0) {
                return Double.NEGATIVE_INFINITY;
            }
            double product = q.dot(3, from(i[0], i[1], i[2], 0), k, 3, from(i[0], i[1] / group, i[3], 0));
            return op.scale() * product + (op.biased() ? e.operand(biasIndex).repeated(i) : 0);
        });
    }

    /** A row that attends to nothing has −∞ rather than what {@code −∞ − −∞} gives. */
    private static Tensor finite(Tensor lse) {
        return lse.map(lse.type(), x -> Double.isNaN(x) ? Double.NEGATIVE_INFINITY : x);
    }

    private static double weight(Tensor scores, Tensor lse, long[] i) {
        double score = scores.at(i);
        return score == Double.NEGATIVE_INFINITY ? 0 : Math.exp(score - lse.at(i[0], i[1], i[2]));
    }
}
