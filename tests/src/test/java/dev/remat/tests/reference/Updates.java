package dev.remat.tests.reference;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.AdafactorUpdate;
import dev.remat.ir.op.AdagradUpdate;
import dev.remat.ir.op.AdamUpdate;
import dev.remat.ir.op.AdamVariantUpdate;
import dev.remat.ir.op.AverageUpdate;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.LionUpdate;
import dev.remat.ir.op.RmsPropUpdate;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.ir.op.UpdateRows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** What happens once a step. */
final class Updates {
    private Updates() {}

    static List<Tensor> running(Evaluation e, RunningStatistics op) {
        double m = op.momentum();
        double samples = op.samples().value();
        double unbiased = samples / (samples - 1);
        Tensor mean = e.operand(0).zip(e.operand(2), e.type(), (old, batch) -> (1 - m) * old + m * batch);
        Tensor variance =
                e.operand(1).zip(e.operand(3), e.type(), (old, batch) -> (1 - m) * old + m * batch * unbiased);
        return List.of(mean, variance);
    }

    static List<Tensor> sgd(Evaluation e, SgdUpdate op) {
        Tensor parameter = e.operand(0);
        double rate = e.operand(2).scalar();
        double factor = op.clipped() ? e.operand(op.factorIndex()).scalar() : 1;
        Tensor g = e.operand(1).zip(parameter, e.type(), (d, w) -> factor * d + op.weightDecay() * w);
        if (!op.hasVelocity()) {
            return List.of(parameter.zip(g, e.type(), (w, d) -> w - rate * d));
        }
        boolean first = op.dampening() == 0 || e.operand(4).scalar() == 1;
        double kept = first ? 1 : 1 - op.dampening();
        Tensor velocity = e.operand(3).zip(g, e.type(), (v, d) -> op.momentum() * v + kept * d);
        Tensor direction = op.nesterov() ? g.zip(velocity, e.type(), (d, v) -> d + op.momentum() * v) : velocity;
        return List.of(parameter.zip(direction, e.type(), (w, d) -> w - rate * d), velocity);
    }

    static List<Tensor> adam(Evaluation e, AdamUpdate op) {
        double rate = e.operand(4).scalar();
        double step = e.operand(5).scalar();
        double factor = op.clipped() ? e.operand(6).scalar() : 1;
        double coupled = op.decoupled() ? 0 : op.weightDecay();
        double shrink = op.decoupled() ? 1 - rate * op.weightDecay() : 1;
        Tensor parameter = e.operand(0);
        Tensor g = e.operand(1).zip(parameter, e.type(), (d, w) -> factor * d + coupled * w);
        Tensor m = e.operand(2).zip(g, e.type(), (old, d) -> op.beta1() * old + (1 - op.beta1()) * d);
        Tensor v = e.operand(3).zip(g, e.type(), (old, d) -> op.beta2() * old + (1 - op.beta2()) * d * d);
        double first = 1 - Math.pow(op.beta1(), step);
        double second = 1 - Math.pow(op.beta2(), step);
        Tensor direction = m.zip(v, e.type(), (a, b) -> a / first / (Math.sqrt(b / second) + op.epsilon()));
        return List.of(parameter.zip(direction, e.type(), (w, d) -> shrink * w - rate * d), m, v);
    }

    static List<Tensor> average(Evaluation e, AverageUpdate op) {
        double step = e.operand(2).scalar();
        double rising = op.warmup() ? (1 + step) / (10 + step) : 1;
        double keep = step == 1 ? 0 : Math.min(op.decay(), rising);
        return List.of(e.operand(0).zip(e.operand(1), e.type(), (old, now) -> keep * old + (1 - keep) * now));
    }

    static Tensor accumulated(Evaluation e) {
        Tensor sum = e.operand(0);
        for (Piece piece : pieces(e, 1)) {
            boolean first = piece.number() == 0;
            sum = sum.zip(piece.of(e.operand(1)), e.type(), (before, value) -> first ? value : before + value);
        }
        return sum;
    }

    /** By the moments about 0 of equally many samples. */
    static List<Tensor> combined(Evaluation e) {
        List<Tensor> joined = e.operands().subList(0, 2);
        for (Piece piece : pieces(e, 2)) {
            joined = combined(joined, piece.of(e.operand(2)), piece.of(e.operand(3)), piece.number());
        }
        return joined;
    }

    private static List<Tensor> combined(List<Tensor> so, Tensor mean, Tensor variance, double before) {
        if (before == 0) {
            return List.of(mean, variance);
        }
        double all = before + 1;
        Tensor joined = so.getFirst().zip(mean, mean.type(), (sum, value) -> (before * sum + value) / all);
        Tensor squares = squares(so.getFirst(), so.getLast())
                .zip(squares(mean, variance), mean.type(), (sum, value) -> (before * sum + value) / all);
        return List.of(joined, squares.zip(joined, mean.type(), (square, m) -> square - m * m));
    }

    /**
     * What one micro-batch has computed.
     *
     * @param number of the micro-batch
     * @param at which of those that are added at once
     * @param type of one
     */
    private record Piece(long number, int at, TensorType type) {
        Tensor of(Tensor all) {
            int size = (int) type.elements();
            return new Tensor(type, Arrays.copyOfRange(all.data(), at * size, (at + 1) * size));
        }
    }

    private static List<Piece> pieces(Evaluation e, int value) {
        TensorType sum = e.operand(0).type();
        TensorType values = e.operand(value).type();
        int ranks = values.rank() == sum.rank() ? 1 : (int) values.dim(0).value();
        long round = (long) e.operands().getLast().scalar() / ranks;
        return IntStream.range(0, ranks)
                .mapToObj(at -> new Piece(round * ranks + at, at, sum))
                .toList();
    }

    private static Tensor squares(Tensor mean, Tensor variance) {
        return mean.zip(variance, mean.type(), (m, v) -> v + m * m);
    }

    static List<Tensor> conditional(Evaluation e, ConditionalUpdate op) {
        List<Tensor> operands = ConditionalUpdate.withoutFlag(e.operands());
        return e.operands().getLast().scalar() != 0
                ? new Evaluation(operands, e.types(), e.userSeed(), e.step(), e.microBatch()).apply(op.update())
                : op.writes().stream()
                        .map(write -> operands.get(write.operand()))
                        .toList();
    }

    static List<Tensor> rows(Evaluation e, UpdateRows op) {
        List<Tensor> operands = new ArrayList<>(e.operands());
        operands.subList(0, 2).replaceAll(whole -> rows(op, whole));
        List<TensorType> types = new ArrayList<>(e.types());
        types.set(0, op.rows(e.type()));
        List<Tensor> results = new ArrayList<>(
                new Evaluation(operands, types, e.userSeed(), e.step(), e.microBatch()).apply(op.update()));
        Tensor updated = results.getFirst();
        results.set(0, Tensor.generate(e.type(), index -> {
            boolean isUpdated = op.from() <= index[0] && index[0] < op.to();
            return isUpdated
                    ? updated.at(shifted(index, -op.from()))
                    : e.operand(0).at(index);
        }));
        return results;
    }

    /** The rows of a whole tensor that an update is of. */
    static Tensor rows(UpdateRows op, Tensor whole) {
        return Tensor.generate(op.rows(whole.type()), index -> whole.at(shifted(index, op.from())));
    }

    private static long[] shifted(long[] index, long rows) {
        long[] other = index.clone();
        other[0] += rows;
        return other;
    }

    private static Tensor slope(Evaluation e, boolean clipped, double weightDecay) {
        double factor = clipped ? e.operands().getLast().scalar() : 1;
        return e.operand(1).zip(e.operand(0), e.type(), (d, w) -> factor * d + weightDecay * w);
    }

    static List<Tensor> adamVariant(Evaluation e, AdamVariantUpdate op) {
        double shrink = op.decoupled() ? 1 - e.operand(op.rateIndex()).scalar() * op.weightDecay() : 1;
        Tensor g = slope(e, op.clipped(), op.decoupled() ? 0 : op.weightDecay());
        Tensor m = e.operand(2).zip(g, e.type(), (old, d) -> op.beta1() * old + (1 - op.beta1()) * d);
        Tensor v = e.operand(3).zip(g, e.type(), (old, d) -> op.beta2() * old + (1 - op.beta2()) * d * d);
        double one = e.operand(op.rateIndex() + 1).scalar();
        List<Tensor> results = new ArrayList<>(List.of(m, v));
        Tensor change = switch (op.kind()) {
            case AMSGRAD -> {
                Tensor largest = e.operand(4).zip(v, e.type(), Math::max);
                results.add(largest);
                double spread = e.operand(op.rateIndex() + 2).scalar();
                yield m.zip(largest, e.type(), (a, b) -> one * a / (Math.sqrt(spread * b) + op.epsilon()));
            }
            case NADAM -> {
                double two = e.operand(op.rateIndex() + 2).scalar();
                double spread = e.operand(op.rateIndex() + 3).scalar();
                yield g.zip(m, e.type(), (d, a) -> one * d + two * a)
                        .zip(v, e.type(), (a, b) -> a / (Math.sqrt(spread * b) + op.epsilon()));
            }
            case RADAM -> {
                double two = e.operand(op.rateIndex() + 2).scalar();
                yield m.zip(v, e.type(), (a, b) -> one * a + two * a / (Math.sqrt(b) + op.epsilon()));
            }
            case ADAMAX -> {
                Tensor norm = e.operand(3)
                        .zip(g, e.type(), (old, d) -> Math.max(op.beta2() * old, Math.abs(d) + op.epsilon()));
                results.set(1, norm);
                yield m.zip(norm, e.type(), (a, b) -> one * a / b);
            }
        };
        results.addFirst(e.operand(0).zip(change, e.type(), (w, d) -> shrink * w - d));
        return List.copyOf(results);
    }

    static List<Tensor> lion(Evaluation e, LionUpdate op) {
        double rate = e.operand(3).scalar();
        double shrink = 1 - rate * op.weightDecay();
        Tensor g = slope(e, op.clipped(), 0);
        Tensor m = e.operand(2);
        Tensor sign = m.zip(g, e.type(), (old, d) -> Math.signum(op.beta1() * old + (1 - op.beta1()) * d));
        return List.of(
                e.operand(0).zip(sign, e.type(), (w, d) -> shrink * w - rate * d),
                m.zip(g, e.type(), (old, d) -> op.beta2() * old + (1 - op.beta2()) * d));
    }

    static List<Tensor> adagrad(Evaluation e, AdagradUpdate op) {
        double rate = e.operand(3).scalar() / (1 + (e.operand(4).scalar() - 1) * op.rateDecay());
        Tensor g = slope(e, op.clipped(), op.weightDecay());
        Tensor sum = e.operand(2).zip(g, e.type(), (old, d) -> old + d * d);
        Tensor direction = g.zip(sum, e.type(), (d, s) -> d / (Math.sqrt(s) + op.epsilon()));
        return List.of(e.operand(0).zip(direction, e.type(), (w, d) -> w - rate * d), sum);
    }

    static List<Tensor> adafactor(Evaluation e, AdafactorUpdate op) {
        double shrink = 1 - e.operand(2).scalar() * op.weightDecay();
        double size = e.operand(3).scalar();
        Tensor estimate = e.operand(4);
        if (op.factored()) {
            Tensor rows = Tensor.generate(e.type(), e.operand(4)::repeated);
            estimate = rows.zip(Tensor.generate(e.type(), e.operand(5)::repeated), e.type(), (r, c) -> r * c);
        }
        Tensor change = slope(e, op.clipped(), 0)
                .zip(estimate, e.type(), (g, square) -> g / Math.max(Math.sqrt(square), op.epsilon()));
        return List.of(e.operand(0).zip(change, e.type(), (w, d) -> shrink * w - size * d));
    }

    static List<Tensor> rmsProp(Evaluation e, RmsPropUpdate op) {
        double rate = e.operand(2).scalar();
        Tensor g = slope(e, op.clipped(), op.weightDecay());
        Tensor v = e.operand(3).zip(g, e.type(), (old, d) -> op.alpha() * old + (1 - op.alpha()) * d * d);
        List<Tensor> results = new ArrayList<>(List.of(v));
        Tensor spread = v;
        if (op.centered()) {
            Tensor a = e.operand(4).zip(g, e.type(), (old, d) -> op.alpha() * old + (1 - op.alpha()) * d);
            results.add(a);
            spread = v.zip(a, e.type(), (squares, mean) -> squares - mean * mean);
        }
        Tensor direction = g.zip(spread, e.type(), (d, s) -> d / (Math.sqrt(s) + op.epsilon()));
        if (op.hasVelocity()) {
            direction = e.operand(op.centered() ? 5 : 4).zip(direction, e.type(), (old, d) -> op.momentum() * old + d);
            results.add(direction);
        }
        results.addFirst(e.operand(0).zip(direction, e.type(), (w, d) -> w - rate * d));
        return List.copyOf(results);
    }
}
