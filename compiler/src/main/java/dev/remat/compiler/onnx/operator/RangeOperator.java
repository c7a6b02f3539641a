package dev.remat.compiler.onnx.operator;

import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Literals;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;

/** Numbers at equal distances: known ones where they are few, which are written as what they follow from. */
public final class RangeOperator {
    private RangeOperator() {}

    /** The integers from 0 on as i64. */
    static Tensor count(Use use, Dim count) {
        return use.out()
                .call(
                        "arange",
                        new TensorType(DType.I64, new Shape(List.of(count))),
                        count,
                        Expressions.named("dtype", DType.I64));
    }

    static Tensor write(Use use) {
        Constant start = use.known(0);
        if (start.dtype().isFloat()) {
            Constant limit = use.known(1);
            Constant step = use.known(2);
            long count = (long) Math.max(0, Math.ceil((limit.real(0) - start.real(0)) / step.real(0)));
            return arange(use, start.dtype(), Dim.of(count));
        }
        return ofIntegers(use, start.dtype());
    }

    /** Integers as numbers of floating point: what {@code Cast} makes of {@code Range}. */
    public static Tensor cast(Use use) {
        return ofIntegers(use, ElementwiseOperators.dtype(use, "to"));
    }

    private static Tensor ofIntegers(Use use, DType dtype) {
        Constant start = use.known(0);
        long by = use.number(use.known(2).integers().getFirst(), "step");
        if (by == 0) {
            throw use.detail("its step is 0");
        }
        Dim from = start.integers().getFirst();
        Dim to = use.known(1).integers().getFirst();
        Dim count = by > 0
                ? to.minus(from).plus(by - 1).floorDiv(by)
                : from.minus(to).plus(-by - 1).floorDiv(-by);
        Tensor written = arange(use, dtype, count);
        if (!count.isConstant() || count.value() > Fold.MOST_GROWN) {
            return written;
        }
        List<Dim> all = new ArrayList<>();
        for (long i = 0; i < count.value(); i++) {
            all.add(from.plus(i * by));
        }
        Constant known = Constant.integers(start.dtype(), List.of((long) all.size()), all);
        if (dtype.isFloat() && !known.isNumeric()) {
            return written;
        }
        Tensor tensor = Tensor.of(known.cast(dtype));
        return count.value() < 2
                ? tensor
                : tensor.by(use.out().let(written).spelling().orElseThrow());
    }

    private static Tensor arange(Use use, DType dtype, Dim count) {
        return Tensor.of(
                new TensorType(dtype, new Shape(List.of(count))),
                Literals.arange(
                        Literals.number(use.known(0), 0),
                        Literals.number(use.known(1), 0),
                        Literals.number(use.known(2), 0),
                        dtype));
    }
}
