package dev.remat.tests.reference;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.AdafactorUpdate;
import dev.remat.ir.op.AdagradUpdate;
import dev.remat.ir.op.AdamUpdate;
import dev.remat.ir.op.AdamVariantUpdate;
import dev.remat.ir.op.Assign;
import dev.remat.ir.op.AverageUpdate;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.LionUpdate;
import dev.remat.ir.op.RmsPropUpdate;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.ir.op.Update;
import dev.remat.ir.op.UpdateRows;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Operands of what happens once a step; parameters and states have the accumulator of the gradient's dtype. */
final class UpdateSamples {
    private static final TensorType NUMBER = TensorType.scalar(DType.I64);

    private UpdateSamples() {}

    static List<List<Tensor>> of(SampleSource s, Update op) {
        return switch (op) {
            case RunningStatistics r ->
                List.of(List.of(
                        s.wide(s.number(3)), s.wide(s.positive(3)), s.wide(s.number(3)), s.wide(s.positive(3))));
            case SgdUpdate u ->
                u.isDampened() ? List.of(descent(s, u, 1), descent(s, u, 3)) : List.of(descent(s, u, 1));
            case AdamUpdate u -> {
                List<Tensor> operands = new ArrayList<>(List.of(
                        s.wide(s.number(3, 4)),
                        s.number(3, 4),
                        s.wide(s.number(3, 4)),
                        s.wide(s.positive(3, 4)),
                        s.wide(s.positive()),
                        Tensor.of(NUMBER, 3)));
                if (u.clipped()) {
                    operands.add(s.wide(s.positive()));
                }
                yield List.of(operands);
            }
            case LionUpdate u ->
                List.of(clipped(
                        s,
                        u.clipped(),
                        s.wide(s.number(3, 4)),
                        s.number(3, 4),
                        s.wide(s.number(3, 4)),
                        s.wide(s.positive())));
            case AdagradUpdate u ->
                List.of(clipped(
                        s,
                        u.clipped(),
                        s.wide(s.number(3, 4)),
                        s.number(3, 4),
                        s.wide(s.positive(3, 4)),
                        s.wide(s.positive()),
                        Tensor.of(NUMBER, 3)));
            case AdamVariantUpdate u -> {
                List<Tensor> operands =
                        new ArrayList<>(List.of(s.wide(s.number(3, 4)), s.number(3, 4), s.wide(s.number(3, 4))));
                for (int state = 1; state < u.kind().states(); state++) {
                    operands.add(s.wide(s.positive(3, 4)));
                }
                for (int scalar = 0; scalar <= u.kind().sizes(); scalar++) {
                    operands.add(s.wide(s.positive()));
                }
                yield List.of(clipped(s, u.clipped(), operands.toArray(Tensor[]::new)));
            }
            case AdafactorUpdate u -> {
                long[] shape = u.factored() ? new long[] {2, 3, 5} : new long[] {3, 5};
                List<Tensor> operands = new ArrayList<>(
                        List.of(s.wide(s.number(shape)), s.number(shape), s.wide(s.positive()), s.wide(s.positive())));
                operands.add(s.wide(u.factored() ? s.positive(2, 3, 1) : s.positive(3, 5)));
                if (u.factored()) {
                    operands.add(s.wide(s.positive(2, 1, 5)));
                }
                yield List.of(clipped(s, u.clipped(), operands.toArray(Tensor[]::new)));
            }
            case RmsPropUpdate u -> {
                List<Tensor> operands = new ArrayList<>(List.of(
                        s.wide(s.number(3, 4)), s.number(3, 4), s.wide(s.positive()), large(s.wide(s.positive(3, 4)))));
                for (int state = 1; state < u.states(); state++) {
                    operands.add(small(s.wide(s.number(3, 4))));
                }
                yield List.of(clipped(s, u.clipped(), operands.toArray(Tensor[]::new)));
            }
            case AverageUpdate u ->
                List.of(
                        List.of(s.wide(s.number(3, 4)), s.wide(s.number(3, 4)), Tensor.of(NUMBER, 1)),
                        List.of(s.wide(s.number(3, 4)), s.wide(s.number(3, 4)), Tensor.of(NUMBER, 7)));
            case Assign a -> List.of(List.of(s.number(3, 4), s.number(3, 4)));
            case Accumulate a -> accumulated(s);
            case CombineStatistics c -> combined(s);
            case UpdateRows r ->
                of(s, r.update()).stream().map(whole -> ofRows(r, whole)).toList();
            case ConditionalUpdate c ->
                of(s, c.update()).stream()
                        .flatMap(operands -> IntStream.of(1, 0)
                                .mapToObj(flag -> with(operands, Tensor.of(TensorType.scalar(DType.BOOL), flag))))
                        .toList();
        };
    }

    private static List<Tensor> descent(SampleSource s, SgdUpdate op, int step) {
        List<Tensor> operands = new ArrayList<>(List.of(s.wide(s.number(3, 4)), s.number(3, 4), s.wide(s.positive())));
        if (op.hasVelocity()) {
            operands.add(s.wide(s.number(3, 4)));
        }
        if (op.isDampened()) {
            operands.add(Tensor.of(NUMBER, step));
        }
        if (op.clipped()) {
            operands.add(s.wide(s.positive()));
        }
        return operands;
    }

    /** With rows of what is neither parameter nor gradient nor a scalar. */
    private static List<Tensor> ofRows(UpdateRows op, List<Tensor> whole) {
        return IntStream.range(0, whole.size())
                .mapToObj(operand -> operand < 2 || whole.get(operand).type().rank() == 0
                        ? whole.get(operand)
                        : Updates.rows(op, whole.get(operand)))
                .toList();
    }

    /** The first micro-batch finds anything in the accumulator; counts are added, too. */
    private static List<List<Tensor>> accumulated(SampleSource s) {
        Tensor value = s.wide(s.number(3, 4));
        List<List<Tensor>> samples = new ArrayList<>(List.of(
                List.of(Tensor.filled(value.type(), Double.NaN), value, Tensor.of(NUMBER, 0)),
                List.of(s.wide(s.number(3, 4)), value, Tensor.of(NUMBER, 3))));
        for (DType count : List.of(DType.I32, DType.I64)) {
            for (int microBatch : List.of(0, 1)) {
                samples.add(List.of(
                        Tensor.of(TensorType.of(count, 2), 40, -3),
                        Tensor.of(TensorType.of(count, 2), 2, 5),
                        Tensor.of(NUMBER, microBatch)));
            }
        }
        return samples;
    }

    private static List<List<Tensor>> combined(SampleSource s) {
        Tensor mean = s.wide(s.number(3));
        Tensor variance = s.wide(s.positive(3));
        Tensor anything = Tensor.filled(mean.type(), Double.NaN);
        return List.of(
                List.of(anything, anything, mean, variance, Tensor.of(NUMBER, 0)),
                List.of(s.wide(s.number(3)), s.wide(s.positive(3)), mean, variance, Tensor.of(NUMBER, 1)),
                List.of(s.wide(s.number(3)), s.wide(s.positive(3)), mean, variance, Tensor.of(NUMBER, 6)));
    }

    private static List<Tensor> clipped(SampleSource s, boolean clipped, Tensor... operands) {
        List<Tensor> all = new ArrayList<>(List.of(operands));
        if (clipped) {
            all.add(s.wide(s.positive()));
        }
        return all;
    }

    /** Averages of squares, which are above the squares of averages. */
    private static Tensor large(Tensor squares) {
        return squares.zip(squares, squares.type(), (a, b) -> a + 4);
    }

    private static Tensor small(Tensor average) {
        return average.zip(average, average.type(), (a, b) -> a / 8);
    }

    private static List<Tensor> with(List<Tensor> operands, Tensor last) {
        return Stream.concat(operands.stream(), Stream.of(last)).toList();
    }
}
