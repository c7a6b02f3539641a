package dev.remat.tests.reference;

import dev.remat.ir.op.ChunkSquares;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.SumOfChunks;
import dev.remat.ir.op.SumOfSquares;
import java.util.Arrays;
import java.util.List;

/** Sums, maxima and what is made of them. */
final class Reductions {
    private Reductions() {}

    static Tensor reduce(Evaluation e, Reduce op) {
        Tensor x = e.operand(0);
        Tensor result = Tensor.filled(e.type(), neutral(op.kind()));
        Tensor.forEachIndex(x.type().shape(), index -> {
            switch (op.kind()) {
                case SUM -> result.addRepeated(x.at(index), index);
                case MEAN -> result.addRepeated(x.at(index) * result.elements() / x.elements(), index);
                case MAX -> {
                    long[] target = index.clone();
                    op.axes().forEach(axis -> target[axis] = 0);
                    result.set(Math.max(result.at(target), x.at(index)), target);
                }
                case MIN, PROD -> {
                    long[] target = index.clone();
                    op.axes().forEach(axis -> target[axis] = 0);
                    double before = result.at(target);
                    boolean least = op.kind() == Reduce.Kind.MIN;
                    result.set(least ? Math.min(before, x.at(index)) : before * x.at(index), target);
                }
            }
        });
        return result;
    }

    private static double neutral(Reduce.Kind kind) {
        return switch (kind) {
            case SUM, MEAN -> 0;
            case MAX -> Double.NEGATIVE_INFINITY;
            case MIN -> Double.POSITIVE_INFINITY;
            case PROD -> 1;
        };
    }

    static Tensor sumOfSquares(Evaluation e, SumOfSquares op) {
        double factor = op.scaled() ? e.operands().getLast().scalar() : 1;
        double sum = op.tensors(e.operands()).stream()
                .flatMapToDouble(tensor -> Arrays.stream(tensor.data()))
                .map(x -> factor * x * (factor * x))
                .sum();
        return Tensor.of(e.type(), sum);
    }

    /** Of the first rank. */
    static Tensor chunkSquares(Evaluation e, ChunkSquares op) {
        double factor = op.scaled() ? e.operands().getLast().scalar() : 1;
        double[] sums = new double[(int) e.type().elements()];
        for (int tensor = 0; tensor < op.firsts().size(); tensor++) {
            for (long k = 0; k < op.elements().get(tensor); k++) {
                int at = (int) (op.firsts().get(tensor) + k);
                double x = at < sums.length * 1024 ? factor * e.operand(0).data()[at] : 0;
                sums[Math.min(at / 1024, sums.length - 1)] += x * x;
            }
        }
        return new Tensor(e.type(), sums);
    }

    static Tensor sumOfChunks(Evaluation e, SumOfChunks op) {
        double factor = op.scaled() ? e.operands().getLast().scalar() : 1;
        double sum = 0;
        List<Tensor> operands = op.sums(e.operands());
        for (int k = 0; k < operands.size(); k++) {
            boolean chunked = op.chunked().contains(k);
            for (double x : operands.get(k).data()) {
                sum += chunked ? x : factor * x * (factor * x);
            }
        }
        return Tensor.of(e.type(), sum);
    }

    static Tensor allFinite(Evaluation e) {
        boolean finite = e.operands().stream()
                .flatMapToDouble(tensor -> Arrays.stream(tensor.data()))
                .allMatch(Double::isFinite);
        return Tensor.of(e.type(), finite ? 1 : 0);
    }

    static Tensor matMul(Evaluation e, MatMul op) {
        Tensor a = e.operand(0);
        Tensor b = e.operand(1);
        int row = a.type().rank() - 2;
        int column = row + 1;
        int inFront = a.type().rank() - b.type().rank();
        long inner = a.extent(op.transposeA() ? row : column);
        return Tensor.generate(e.type(), index -> {
            long[] left = index.clone();
            left[op.transposeA() ? column : row] = index[row];
            long[] right = Arrays.copyOfRange(index, inFront, index.length);
            right[(op.transposeB() ? row : column) - inFront] = index[column];
            double sum = 0;
            for (long k = 0; k < inner; k++) {
                left[op.transposeA() ? row : column] = k;
                right[(op.transposeB() ? column : row) - inFront] = k;
                sum += a.at(left) * b.at(right);
            }
            return e.operands().size() == 3 ? e.operand(2).at(index) + sum : sum;
        });
    }

    static Tensor softmax(Evaluation e) {
        return logSoftmax(e).map(e.type(), Math::exp);
    }

    static Tensor logSoftmax(Evaluation e) {
        Tensor x = e.operand(0);
        int last = x.type().rank() - 1;
        Tensor lse = logSumExp(x);
        return Tensor.generate(e.type(), index -> {
            long[] row = index.clone();
            row[last] = 0;
            return x.at(index) - lse.at(row);
        });
    }

    /** Over the last axis, which keeps extent 1. */
    static Tensor logSumExp(Tensor x) {
        List<Integer> last = List.of(x.type().rank() - 1);
        Tensor largest = Tensor.filled(x.type().with(x.type().shape().reduced(last)), Double.NEGATIVE_INFINITY);
        Tensor.forEachIndex(x.type().shape(), index -> {
            long[] row = index.clone();
            row[last.getFirst()] = 0;
            largest.set(Math.max(largest.at(row), x.at(index)), row);
        });
        Tensor sums = Tensor.zeros(largest.type());
        Tensor.forEachIndex(x.type().shape(), index -> {
            long[] row = index.clone();
            row[last.getFirst()] = 0;
            sums.add(Math.exp(x.at(index) - largest.at(row)), row);
        });
        return largest.zip(sums, sums.type(), (max, sum) -> max + Math.log(sum));
    }
}
