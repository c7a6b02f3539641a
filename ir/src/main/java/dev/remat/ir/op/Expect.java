package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** What shape rules ask of their operands; every refusal names the operation, what it wanted and what it got. */
final class Expect {
    private Expect() {}

    static void count(Op op, List<TensorType> operands, int wanted) {
        require(operands.size() == wanted, "%s takes %d operands, got %d", op.mnemonic(), wanted, operands.size());
    }

    static void floating(Op op, TensorType type) {
        require(type.dtype().isFloat(), "%s takes floating point operands, got %s", op.mnemonic(), type);
    }

    static void integer(Op op, String what, TensorType type) {
        require(type.dtype().isInteger(), "%s wants %s of i32 or i64, got %s", op.mnemonic(), what, type);
    }

    static void bool(Op op, String what, TensorType type) {
        require(type.dtype() == DType.BOOL, "%s wants %s of bool, got %s", op.mnemonic(), what, type);
    }

    static void tensor(Op op, TensorType type) {
        require(type.dtype() != DType.SEED, "%s takes tensors, got a seed", op.mnemonic());
    }

    static void seed(Op op, TensorType type) {
        require(type.equals(TensorType.SEED), "%s wants a seed as its last operand, got %s", op.mnemonic(), type);
    }

    /** The type of sums of {@code x}: in its dtype, or in the one that they are computed in. */
    static TensorType sum(TensorType x, boolean wide) {
        return wide ? x.with(x.dtype().accumulator()) : x;
    }

    /** A factor or rate in f32, or f64 in gradient checks. */
    static void real(Op op, String what, TensorType type) {
        boolean suits = type.rank() == 0 && (type.dtype() == DType.F32 || type.dtype() == DType.F64);
        require(suits, "%s wants %s as an f32 scalar, got %s", op.mnemonic(), what, type);
    }

    /** The number of the micro-batch within the step. */
    static void microBatch(Op op, TensorType type) {
        type(op, "a micro-batch", type, TensorType.scalar(DType.I64));
    }

    static void same(Op op, TensorType a, TensorType b) {
        require(a.equals(b), "%s takes operands of one type, got %s and %s", op.mnemonic(), a, b);
    }

    static void type(Op op, String what, TensorType actual, TensorType wanted) {
        require(actual.equals(wanted), "%s wants %s of %s, got %s", op.mnemonic(), what, wanted, actual);
    }

    static void dtype(Op op, String what, TensorType actual, DType wanted) {
        require(actual.dtype() == wanted, "%s wants %s of %s, got %s", op.mnemonic(), what, wanted.label(), actual);
    }

    static void shape(Op op, String what, TensorType actual, Shape wanted) {
        require(actual.shape().equals(wanted), "%s wants %s of shape %s, got %s", op.mnemonic(), what, wanted, actual);
    }

    static void rank(Op op, String what, TensorType actual, int wanted) {
        require(actual.rank() == wanted, "%s wants %s of rank %d, got %s", op.mnemonic(), what, wanted, actual);
    }

    /** Axes of {@code actual} have the extent in {@code full} or 1. */
    static void repeatable(Op op, String what, TensorType actual, Shape full) {
        boolean suits = actual.rank() == full.rank();
        for (int axis = 0; suits && axis < full.rank(); axis++) {
            suits = actual.dim(axis).is(1) || actual.dim(axis).equals(full.dim(axis));
        }
        require(suits, "%s wants %s that repeats to %s, got %s", op.mnemonic(), what, full, actual);
    }

    static void axis(Op op, int axis, TensorType type) {
        require(axis < type.rank(), "%s along axis %d does not suit %s", op.mnemonic(), axis, type);
    }

    /** Refuses what is known to be negative; symbols get the benefit of the doubt. */
    static void notNegative(Op op, String what, Dim dim, TensorType type) {
        boolean negative = dim.isConstant() && dim.value() < 0;
        require(!negative, "%s leaves %s with %s of %s", op.mnemonic(), type, what, dim);
    }

    /**
     * For compact constructors: different axes counted from 0, in ascending order.
     *
     * @throws IllegalArgumentException if an axis is negative or named twice
     */
    static List<Integer> axes(List<Integer> axes) {
        TreeSet<Integer> sorted = new TreeSet<>(axes);
        if (sorted.size() != axes.size() || !sorted.isEmpty() && sorted.first() < 0) {
            throw new IllegalArgumentException("axes must differ and count from 0: " + axes);
        }
        return List.copyOf(new ArrayList<>(sorted));
    }

    /** The parameter of an update, operand 0, whose gradient is operand 1. */
    static TensorType updated(Op op, List<TensorType> operands) {
        TensorType parameter = operands.getFirst();
        floating(op, parameter);
        floating(op, operands.get(1));
        shape(op, "a gradient", operands.get(1), parameter.shape());
        return parameter;
    }

    /** For compact constructors: a rate, decay or the like, which is finite and not negative. */
    static void fromZero(String what, double value) {
        argument(value >= 0 && value < Double.POSITIVE_INFINITY, "%s %s is not a finite number from 0 on", what, value);
    }

    /** For compact constructors. */
    static void argument(boolean condition, String message, Object... arguments) {
        if (!condition) {
            throw new IllegalArgumentException(message.formatted(arguments));
        }
    }
}
