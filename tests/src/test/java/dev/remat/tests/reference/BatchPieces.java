package dev.remat.tests.reference;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.BatchRole;
import dev.remat.ir.op.BatchRole.Alike;
import dev.remat.ir.op.BatchRole.Free;
import dev.remat.ir.op.BatchRole.Mean;
import dev.remat.ir.op.BatchRole.Own;
import dev.remat.ir.op.BatchRole.Rows;
import dev.remat.ir.op.BatchRole.Sum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A value of the whole batch and those of its micro-batches, as roles have them.
 *
 * @param pieces one for each micro-batch
 */
record BatchPieces(Tensor whole, List<Tensor> pieces) {
    private static final double TOLERANCE = 1e-9;

    /**
     * Values that have a role among the operands.
     *
     * @param type for the whole batch
     * @param random makes a tensor of a type
     */
    static BatchPieces of(BatchRole role, TensorType type, int count, Function<TensorType, Tensor> random) {
        return switch (role) {
            case Free _ -> {
                Tensor all = random.apply(type);
                yield new BatchPieces(
                        all, IntStream.range(0, count).mapToObj(_ -> all).toList());
            }
            case Rows(int axis, Dim outer) -> cut(random.apply(type), axis, outer.value(), count);
            case Alike(int axis) -> {
                Tensor row = random.apply(type.with(type.shape().with(axis, Dim.ONE)));
                yield cut(Tensor.generate(type, row::repeated), axis, 1, count);
            }
            case Mean _ -> {
                List<Tensor> pieces = new ArrayList<>();
                for (int k = 0; k < count; k++) {
                    Tensor piece = random.apply(type);
                    // Integers that have a mean.
                    pieces.add(type.dtype().isFloat() ? piece : piece.map(type, x -> count * x));
                }
                yield new BatchPieces(sum(pieces).map(type, x -> x / count), pieces);
            }
            case Own _, Sum _ -> throw new IllegalArgumentException(role + " among operands");
        };
    }

    /** Rows of an axis {@code [outer, batch, inner]} cut along the middle one. */
    private static BatchPieces cut(Tensor whole, int axis, long outer, int count) {
        return new BatchPieces(
                whole,
                IntStream.range(0, count)
                        .mapToObj(k -> piece(whole, axis, outer, count, k))
                        .toList());
    }

    private static Tensor piece(Tensor whole, int axis, long outer, int count, int k) {
        long run = whole.extent(axis) / outer;
        long part = run / count;
        TensorType type = whole.type().with(whole.type().shape().with(axis, Dim.of(outer * part)));
        return Tensor.generate(type, index -> {
            long[] at = index.clone();
            at[axis] = index[axis] / part * run + k * part + index[axis] % part;
            return whole.at(at);
        });
    }

    private static Tensor sum(List<Tensor> pieces) {
        return pieces.stream().reduce((a, b) -> a.zip(b, a.type(), Double::sum)).orElseThrow();
    }

    /** Whether these values are to each other what {@code role} says of a result. */
    boolean suits(BatchRole role) {
        return switch (role) {
            case Free _ -> pieces.stream().allMatch(piece -> near(piece, whole));
            case Rows(int axis, Dim outer) -> isCut(axis, outer.value());
            case Alike(int axis) -> {
                TensorType row = whole.type().with(whole.type().shape().with(axis, Dim.ONE));
                Tensor first = Tensor.generate(row, whole::at);
                yield near(Tensor.generate(whole.type(), first::repeated), whole) && isCut(axis, 1);
            }
            case Sum _ -> near(sum(pieces), whole);
            case Mean _ -> near(sum(pieces).map(whole.type(), x -> x / pieces.size()), whole);
            case Own _ -> true;
        };
    }

    private boolean isCut(int axis, long outer) {
        List<Tensor> expected = cut(whole, axis, outer, pieces.size()).pieces;
        return IntStream.range(0, pieces.size()).allMatch(k -> near(pieces.get(k), expected.get(k)));
    }

    private static boolean near(Tensor a, Tensor b) {
        return a.type().equals(b.type())
                && IntStream.range(0, a.elements()).allMatch(i -> near(a.data()[i], b.data()[i]));
    }

    private static boolean near(double a, double b) {
        return Double.compare(a, b) == 0 || a == b || Math.abs(a - b) <= TOLERANCE * (1 + Math.abs(b));
    }

    @Override
    public String toString() {
        return whole.type() + Arrays.toString(whole.data()) + " of "
                + pieces.stream()
                        .map(piece -> piece.type() + Arrays.toString(piece.data()))
                        .toList();
    }
}
