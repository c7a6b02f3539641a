package dev.remat.compiler.onnx.statement;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/**
 * A tensor whose numbers are known while a model is written: integers and bools may be in terms of symbols.
 *
 * @param shape of numbers alone
 * @param integers elements of an integer or bool tensor in row-major order, else empty
 * @param reals elements of a floating point tensor in row-major order, else empty
 */
public record Constant(DType dtype, List<Long> shape, List<Dim> integers, List<Double> reals) {
    /** How many elements are taken apart at most. */
    public static final long MOST = 1 << 16;

    public Constant {
        shape = List.copyOf(shape);
        integers = List.copyOf(integers);
        reals = List.copyOf(reals);
    }

    public static Constant integers(DType dtype, List<Long> shape, List<Dim> elements) {
        return new Constant(dtype, shape, elements, List.of());
    }

    public static Constant reals(DType dtype, List<Long> shape, List<Double> elements) {
        return new Constant(dtype, shape, List.of(), elements);
    }

    /** A vector of i64. */
    public static Constant vector(List<Dim> elements) {
        return integers(DType.I64, List.of((long) elements.size()), elements);
    }

    public static Constant scalar(Dim value) {
        return integers(DType.I64, List.of(), List.of(value));
    }

    public int size() {
        return dtype.isFloat() ? reals.size() : integers.size();
    }

    /** Whether no element is in terms of symbols. */
    public boolean isNumeric() {
        return integers.stream().allMatch(Dim::isConstant);
    }

    /** An element as a number; integers must not be in terms of symbols. */
    public double real(int index) {
        return dtype.isFloat() ? reals.get(index) : integers.get(index).value();
    }

    /** All elements as numbers. */
    public List<Double> asReals() {
        List<Double> all = new ArrayList<>();
        for (int i = 0; i < size(); i++) {
            all.add(real(i));
        }
        return all;
    }

    /** Whether all elements are the same, of which there is at least one. */
    public boolean isUniform() {
        List<?> elements = dtype.isFloat() ? reals : integers;
        return !elements.isEmpty() && elements.stream().allMatch(elements.getFirst()::equals);
    }

    /** The same elements under another shape. */
    public Constant reshaped(List<Long> other) {
        return new Constant(dtype, other, integers, reals);
    }

    /** Elements of this one in another order, some perhaps several times. */
    public Constant picked(List<Long> newShape, List<Integer> places) {
        return dtype.isFloat()
                ? reals(dtype, newShape, places.stream().map(reals::get).toList())
                : integers(dtype, newShape, places.stream().map(integers::get).toList());
    }

    /** A matrix, rows and columns exchanged. */
    public Constant transposed() {
        int rows = shape.get(0).intValue();
        int columns = shape.get(1).intValue();
        return picked(
                shape.reversed(),
                IntStream.range(0, size())
                        .mapToObj(i -> i % rows * columns + i / rows)
                        .toList());
    }

    /** Rounded to a dtype, as a conversion does it; integers in terms of symbols stay integers. */
    public Constant cast(DType to) {
        if (to.isFloat()) {
            return reals(
                    to,
                    shape,
                    asReals().stream().map(value -> rounded(to, value)).toList());
        }
        List<Dim> converted = new ArrayList<>();
        for (int i = 0; i < size(); i++) {
            Dim value = dtype.isFloat() ? Dim.of((long) real(i)) : integers.get(i);
            converted.add(to == DType.BOOL ? Dim.of(dtype.isFloat() && real(i) != 0 || !value.is(0) ? 1 : 0) : value);
        }
        return integers(to, shape, converted);
    }

    /** A function of every element, rounded. */
    public Constant map(DoubleUnaryOperator function) {
        return reals(
                dtype,
                shape,
                reals.stream()
                        .map(value -> rounded(dtype, function.applyAsDouble(value)))
                        .toList());
    }

    /** The nearest number of a floating point type. */
    public static double rounded(DType dtype, double value) {
        return switch (dtype) {
            case F32 -> (float) value;
            case F16 -> Float.float16ToFloat(Float.floatToFloat16((float) value));
            case BF16 -> {
                int bits = Float.floatToRawIntBits((float) value);
                yield Double.isNaN(value)
                        ? value
                        : Float.intBitsToFloat(bits + 0x7fff + (bits >>> 16 & 1) & 0xffff0000);
            }
            default -> value;
        };
    }
}
