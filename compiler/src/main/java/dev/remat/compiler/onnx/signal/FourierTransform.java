package dev.remat.compiler.onnx.signal;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.Dim;
import java.util.ArrayList;
import java.util.List;

/**
 * The discrete Fourier transform of an axis of known length, as a product with a matrix: numbers are complex in pairs
 * along the last axis, or real if that has one.
 */
public final class FourierTransform {
    private static final long MOST_NUMBERS = 1 << 22;
    /** From this version on, the axis is an operand. */
    private static final int AXIS_BY_OPERAND = 20;

    private FourierTransform() {}

    /** Its row. */
    public static List<Operator> table() {
        return List.of(Operator.composed("DFT", FourierTransform::transform));
    }

    private static Tensor transform(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        int rank = x.rank();
        int axis = use.opset() < AXIS_BY_OPERAND
                ? use.axis("axis", 1, rank)
                : use.axis(
                        use.knownIf(2)
                                .map(given -> use.number(given.integers().getFirst(), "axis"))
                                .orElse(-2L),
                        rank);
        boolean isInverse = use.flag("inverse", false);
        boolean isOneSided = use.flag("onesided", false);
        long parts = use.extent(x, rank - 1);
        if (axis == rank - 1 || parts > 2) {
            throw use.detail("its last axis is not of real and imaginary parts");
        }
        if (isOneSided && isInverse) {
            throw use.detail("it goes back from one side");
        }
        long given = use.extent(x, axis);
        long length = use.knownIf(1)
                .map(number -> use.number(number.integers().getFirst(), "length"))
                .orElse(given);
        long count = isOneSided ? length / 2 + 1 : length;
        if (length < 1 || Math.multiplyExact(given * parts, 2 * count) > MOST_NUMBERS) {
            throw use.detail("its " + given + " numbers become " + count + ", whose matrix is too large");
        }
        Tensor last = out.move(x, axis, rank - 2);
        List<Dim> rows = new ArrayList<>(last.dims().subList(0, rank - 2));
        List<Dim> results = new ArrayList<>(rows);
        rows.add(Dim.of(given * parts));
        results.add(Dim.of(count));
        results.add(Dim.of(2));
        Tensor product = out.matmul(
                out.let(out.reshape(out.let(last), rows)), matrix(use, given, parts, length, count, isInverse));
        return out.move(out.let(out.reshape(out.let(product), results)), rank - 2, axis);
    }

    /** A row for each part of each number, a column for each part of each frequency. */
    private static Tensor matrix(Use use, long given, long parts, long length, long count, boolean isInverse) {
        List<Double> numbers = new ArrayList<>();
        for (long row = 0; row < given * parts; row++) {
            long at = row / parts;
            boolean isImaginary = row % parts == 1;
            for (long frequency = 0; frequency < count; frequency++) {
                double angle = 2 * Math.PI * (at * frequency % length) / length * (isInverse ? 1 : -1);
                double size = at >= length ? 0 : isInverse ? 1.0 / length : 1;
                numbers.add(size * (isImaginary ? -Math.sin(angle) : Math.cos(angle)));
                numbers.add(size * (isImaginary ? Math.cos(angle) : Math.sin(angle)));
            }
        }
        return Tensor.of(Constant.reals(use.in(0).dtype(), List.of(given * parts, 2 * count), numbers));
    }
}
