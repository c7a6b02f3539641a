package dev.remat.tests.reference;

import dev.remat.ir.op.CumulativeSum;
import dev.remat.ir.op.Sort;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Operations that follow the order of a row's elements. */
final class RowOrder {
    private RowOrder() {}

    private static int columns(Evaluation e) {
        return (int) e.operand(0).extent(e.type().rank() - 1);
    }

    static List<Tensor> sort(Evaluation e, Sort op) {
        double[] x = e.operand(0).data();
        Tensor values = Tensor.zeros(e.types().get(0));
        Tensor indices = Tensor.zeros(e.types().get(1));
        int columns = columns(e);
        Comparator<Double> numbers = (a, b) -> Double.compare(a + 0.0, b + 0.0);
        Comparator<Double> order = op.descending() ? numbers.reversed() : numbers;
        for (int first = 0; first < x.length; first += columns) {
            int row = first;
            List<Integer> sorted = IntStream.range(0, columns)
                    .boxed()
                    .sorted((i, j) -> order.compare(x[row + i], x[row + j]))
                    .toList();
            for (int i = 0; i < columns; i++) {
                values.data()[row + i] = x[row + sorted.get(i)];
                indices.data()[row + i] = sorted.get(i);
            }
        }
        return List.of(values, indices);
    }

    static Tensor cumulativeSum(Evaluation e, CumulativeSum op) {
        double[] x = e.operand(0).data();
        Tensor sums = Tensor.zeros(e.type());
        int columns = columns(e);
        for (int at = 0; at < x.length; at++) {
            int row = at - at % columns;
            int from = op.reverse() ? at : row;
            int to = op.reverse() ? row + columns : at + 1;
            sums.data()[at] = Arrays.stream(x, from, to).sum();
        }
        return sums;
    }
}
