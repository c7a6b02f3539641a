package dev.remat.tests.reference;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.Assign;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.RunningStatistics;
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
            case ElementwiseUpdate u -> List.of(updated(s, u));
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

    /** What is read beside states is scalars, but for a parameter in factors: those of its axes. */
    private static List<Tensor> updated(SampleSource s, ElementwiseUpdate op) {
        boolean factored = op.rule().equals("adafactor");
        long[] shape = factored ? new long[] {2, 3, 5} : new long[] {3, 4};
        List<Tensor> operands = new ArrayList<>(List.of(s.wide(s.number(shape)), s.number(shape)));
        for (int state = 0; state < op.states(); state++) {
            operands.add(s.wide(s.positive(shape)));
        }
        int scalars = factored ? 2 : op.rule().equals("adamw") ? 3 : 1;
        for (int scalar = 0; scalar < scalars; scalar++) {
            operands.add(new Tensor(TensorType.scalar(DType.F64), s.positive().data()));
        }
        if (factored) {
            operands.add(s.wide(s.positive(2, 3, 1)));
            operands.add(s.wide(s.positive(2, 1, 5)));
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

    private static List<Tensor> with(List<Tensor> operands, Tensor last) {
        return Stream.concat(operands.stream(), Stream.of(last)).toList();
    }
}
