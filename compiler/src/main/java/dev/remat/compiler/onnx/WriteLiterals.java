package dev.remat.compiler.onnx;

import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
import dev.remat.ir.op.Literal;
import dev.remat.ir.op.Table;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongToDoubleFunction;

/** Tensors that follow from where an element lies. */
final class WriteLiterals {
    /** Beyond so many elements, numbers at equal distances are computed. */
    private static final long MOST_LISTED = 4096;

    private WriteLiterals() {}

    static void run(Translated node, Literal literal) {
        switch (literal) {
            case Constant constant -> repeated(node, constant);
            case Iota iota -> numbers(node, iota);
            case Table table ->
                listed(node, table.type(), table.numbers(), n -> table.values().get(Math.toIntExact(n)));
        }
    }

    private static void repeated(Translated node, Constant constant) {
        DType dtype = constant.type().dtype();
        if (constant.extent().isConstant()) {
            node.result(node.out().scalar(dtype, constant.value()), Shape.SCALAR);
            return;
        }
        String extent = node.cast(node.extents().scalar(constant.extent()), DType.I64, dtype);
        node.result(node.apply("Mul", extent, node.out().scalar(dtype, constant.factor())), Shape.SCALAR);
    }

    private static void numbers(Translated node, Iota iota) {
        TensorType type = iota.type();
        if (type.rank() != 1) {
            listed(node, type, iota.numbers(), n -> Math.fma(iota.step(), n, iota.start()));
            return;
        }
        double step = iota.step() * iota.numbers().strides().getFirst();
        double start = iota.start() + iota.step() * iota.numbers().offset();
        boolean isShort = type.shape().isStatic() && type.elements() <= MOST_LISTED;
        if (isShort && type.dtype().isFloat() && isWhole(start) && isWhole(step) && step != 0) {
            String row = node.apply(
                    "Range",
                    node.out().scalar(DType.I64, start),
                    node.out().scalar(DType.I64, start + step * type.elements()),
                    node.out().scalar(DType.I64, step));
            node.result(node.cast(row, DType.I64, type.dtype()));
            return;
        }
        if (isShort) {
            listed(node, type, iota.numbers(), n -> Math.fma(iota.step(), n, iota.start()));
            return;
        }
        boolean isCount = step == 1 && start == 0;
        DType wide = isCount ? type.dtype() : type.dtype().isFloat() ? DType.F64 : DType.I64;
        String row = node.cast(node.extents().range(type.dim(0)), DType.I64, wide);
        String scaled = step == 1 ? row : node.apply("Mul", row, node.out().scalar(wide, step));
        String moved =
                start == 0 ? scaled : node.apply("Add", scaled, node.out().scalar(wide, start));
        node.result(node.cast(moved, wide, type.dtype()));
    }

    private static boolean isWhole(double number) {
        return number == Math.rint(number) && Math.abs(number) <= 1 << 24;
    }

    private static void listed(Translated node, TensorType type, IndexMap numbers, LongToDoubleFunction value) {
        if (!type.shape().isStatic()) {
            throw new NotInOnnxException(
                    "E0802",
                    "numbers the elements of " + type + ", whose extents are not known",
                    "bind its symbols with --set");
        }
        long[] extents = type.shape().toArray();
        double[] values = new double[Math.toIntExact(type.elements())];
        long[] at = new long[extents.length];
        for (int i = 0; i < values.length; i++) {
            long number = numbers.offset();
            for (int axis = 0; axis < at.length; axis++) {
                number += at[axis] * numbers.strides().get(axis);
            }
            values[i] = value.applyAsDouble(number);
            for (int axis = at.length - 1; axis >= 0 && ++at[axis] == extents[axis]; axis--) {
                at[axis] = 0;
            }
        }
        List<Long> shape = Arrays.stream(extents).boxed().toList();
        node.result(node.out().constant(type.dtype(), shape, values));
    }
}
