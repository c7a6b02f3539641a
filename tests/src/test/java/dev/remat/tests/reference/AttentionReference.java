package dev.remat.tests.reference;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import java.util.List;
import java.util.function.LongToDoubleFunction;
import java.util.stream.LongStream;

/** Attention with all its scores written out. */
final class AttentionReference {
    private AttentionReference() {}

    static List<Tensor> forward(Evaluation e, Attention op) {
        Tensor v = e.operand(2);
        Tensor scores = scores(e.operand(0), e.operand(1), op.scale(), op.causal());
        if (op.masked()) {
            hide(scores, e.operand(3));
        }
        Tensor lse = new Tensor(
                e.types().get(1), finite(Reductions.logSumExp(scores)).data());
        Tensor p = Tensor.generate(scores.type(), i -> weight(scores, lse, i));
        Tensor o = Tensor.generate(
                e.type(), i -> sum(v.extent(2), s -> p.at(i[0], i[1], i[2], s) * v.at(i[0], i[1], s, i[3])));
        return List.of(o, lse);
    }

    static List<Tensor> gradient(Evaluation e, AttentionGradient op) {
        Tensor dout = e.operand(0);
        Tensor q = e.operand(1);
        Tensor k = e.operand(2);
        Tensor v = e.operand(3);
        Tensor o = e.operand(4);
        Tensor lse = e.operand(5);
        Tensor scores = scores(q, k, op.scale(), op.causal());
        if (op.masked()) {
            hide(scores, e.operand(6));
        }
        long depth = v.extent(3);
        Tensor p = Tensor.generate(scores.type(), i -> weight(scores, lse, i));
        Tensor ds = Tensor.generate(
                scores.type(),
                i -> p.at(i)
                        * sum(
                                depth,
                                d -> dout.at(i[0], i[1], i[2], d)
                                        * (v.at(i[0], i[1], i[3], d) - o.at(i[0], i[1], i[2], d))));
        Tensor dq = Tensor.generate(
                q.type(),
                i -> op.scale() * sum(k.extent(2), s -> ds.at(i[0], i[1], i[2], s) * k.at(i[0], i[1], s, i[3])));
        Tensor dk = Tensor.generate(
                k.type(),
                i -> op.scale() * sum(q.extent(2), t -> ds.at(i[0], i[1], t, i[2]) * q.at(i[0], i[1], t, i[3])));
        Tensor dv = Tensor.generate(
                v.type(), i -> sum(q.extent(2), t -> p.at(i[0], i[1], t, i[2]) * dout.at(i[0], i[1], t, i[3])));
        return List.of(dq, dk, dv);
    }

    private static Tensor scores(Tensor q, Tensor k, double scale, boolean causal) {
        Dim keys = k.type().dim(2);
        TensorType type = q.type().with(q.type().shape().with(3, keys));
        return Tensor.generate(type, i -> {
            if (causal && i[3] > i[2]) {
                return Double.NEGATIVE_INFINITY;
            }
            return scale * sum(q.extent(3), d -> q.at(i[0], i[1], i[2], d) * k.at(i[0], i[1], i[3], d));
        });
    }

    private static void hide(Tensor scores, Tensor mask) {
        Tensor.forEachIndex(scores.type().shape(), i -> {
            if (mask.repeated(i) == 0) {
                scores.set(Double.NEGATIVE_INFINITY, i);
            }
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

    private static double sum(long count, LongToDoubleFunction term) {
        return LongStream.range(0, count).mapToDouble(term).sum();
    }
}
