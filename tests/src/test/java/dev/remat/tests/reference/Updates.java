package dev.remat.tests.reference;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.Select;
import dev.remat.ir.op.UpdateProgram;
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

    /** One element after another, by the terms of its program. */
    static List<Tensor> elementwise(Evaluation e, ElementwiseUpdate op) {
        List<Tensor> whole = new ArrayList<>();
        for (Tensor operand : e.operands()) {
            whole.add(operand.type().rank() > 0 ? Tensor.generate(e.type(), operand::repeated) : operand);
        }
        List<double[]> results = new ArrayList<>();
        op.program()
                .results()
                .forEach(_ -> results.add(new double[(int) e.type().elements()]));
        for (int i = 0; i < e.type().elements(); i++) {
            List<Double> steps = new ArrayList<>();
            for (UpdateProgram.Step step : op.program().steps()) {
                int at = i;
                steps.add(value(
                        step.op(),
                        step.in().stream()
                                .mapToDouble(term -> value(term, whole, steps, at))
                                .toArray()));
            }
            for (int result = 0; result < results.size(); result++) {
                results.get(result)[i] = value(op.program().results().get(result), whole, steps, i);
            }
        }
        return results.stream().map(data -> new Tensor(e.type(), data)).toList();
    }

    private static double value(UpdateProgram.Term term, List<Tensor> operands, List<Double> steps, int at) {
        return switch (term) {
            case UpdateProgram.Term.Real(double value) -> value;
            case UpdateProgram.Term.Result(int step) -> steps.get(step);
            case UpdateProgram.Term.Operand(int index) -> {
                double[] data = operands.get(index).data();
                yield data[data.length == 1 ? 0 : at];
            }
        };
    }

    /** By an evaluation of the operation on scalars. */
    private static double value(Elementwise op, double[] in) {
        boolean selects = op instanceof Select;
        List<Tensor> operands = new ArrayList<>();
        for (int i = 0; i < in.length; i++) {
            DType type = selects && i == 0 ? DType.BOOL : DType.F64;
            operands.add(Tensor.of(TensorType.scalar(type), in[i]));
        }
        DType result = op instanceof Compare ? DType.BOOL : DType.F64;
        return new Evaluation(operands, List.of(TensorType.scalar(result)), 0, 1, 0)
                .apply(op)
                .getFirst()
                .scalar();
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
}
