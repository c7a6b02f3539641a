package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.ArrayList;
import java.util.List;

/** Appends nodes to a graph under construction; the shorthands say in one word what composites are made of. */
public interface OpEmitter {
    /**
     * Appends a node.
     *
     * @throws ShapeException if the operands do not suit the operation
     */
    List<ValueId> emit(Op op, List<ValueId> operands);

    TensorType type(ValueId value);

    /** Appends a node and returns its first result. */
    default ValueId apply(Op op, ValueId... operands) {
        return emit(op, List.of(operands)).getFirst();
    }

    default ValueId unary(Unary.Kind kind, ValueId x) {
        return apply(new Unary(kind), x);
    }

    default ValueId binary(Binary.Kind kind, ValueId a, ValueId b) {
        return apply(new Binary(kind), a, b);
    }

    default ValueId add(ValueId a, ValueId b) {
        return binary(Binary.Kind.ADD, a, b);
    }

    default ValueId sub(ValueId a, ValueId b) {
        return binary(Binary.Kind.SUB, a, b);
    }

    default ValueId mul(ValueId a, ValueId b) {
        return binary(Binary.Kind.MUL, a, b);
    }

    default ValueId div(ValueId a, ValueId b) {
        return binary(Binary.Kind.DIV, a, b);
    }

    default ValueId neg(ValueId x) {
        return unary(Unary.Kind.NEG, x);
    }

    /** A tensor of one repeated value. */
    default ValueId filled(double value, TensorType type) {
        return apply(new Constant(value, type));
    }

    /** {@code factor · x}. */
    default ValueId scale(ValueId x, double factor) {
        return mul(x, filled(factor, type(x)));
    }

    /** {@code x + term}. */
    default ValueId plus(ValueId x, double term) {
        return add(x, filled(term, type(x)));
    }

    default ValueId select(ValueId condition, ValueId then, ValueId otherwise) {
        return apply(new Select(), condition, then, otherwise);
    }

    default ValueId compare(Compare.Kind kind, ValueId a, ValueId b) {
        return apply(new Compare(kind), a, b);
    }

    default ValueId compare(Compare.Kind kind, ValueId x, double number) {
        return compare(kind, x, filled(number, type(x)));
    }

    /** {@code x} moved into the interval from {@code low} to {@code high}; the gradient passes at both ends. */
    default ValueId clamp(ValueId x, double low, double high) {
        return apply(new Clamp(low, high), x);
    }

    /** {@code x} itself where it has the dtype already. */
    default ValueId cast(ValueId x, DType dtype) {
        return type(x).dtype() == dtype ? x : apply(new Cast(dtype), x);
    }

    /** {@code x} itself where it has the shape already. */
    default ValueId reshape(ValueId x, Shape shape) {
        return type(x).shape().equals(shape) ? x : apply(new Reshape(shape), x);
    }

    default ValueId transpose(ValueId x, List<Integer> permutation) {
        return apply(new Transpose(permutation), x);
    }

    /** Repeats axes of extent 1, after axes of extent 1 were put in front, until {@code x} has the shape. */
    default ValueId expand(ValueId x, Shape shape) {
        List<Dim> aligned = new ArrayList<>(type(x).shape().dims());
        while (aligned.size() < shape.rank()) {
            aligned.addFirst(Dim.ONE);
        }
        ValueId padded = reshape(x, new Shape(aligned));
        return type(padded).shape().equals(shape) ? padded : apply(new Broadcast(shape), padded);
    }

    /** Sum over {@code axes}, which keep extent 1. */
    default ValueId sum(ValueId x, List<Integer> axes) {
        return axes.isEmpty() ? x : apply(new Reduce(Reduce.Kind.SUM, axes), x);
    }

    /** Adjoint of {@link #expand}: sums whatever was repeated, until {@code x} has the shape. */
    default ValueId sumTo(ValueId x, Shape shape) {
        return sumTo(x, shape, false);
    }

    /** The same, with sums that stay f32 if {@code wide}. */
    default ValueId sumTo(ValueId x, Shape shape, boolean wide) {
        Shape from = type(x).shape();
        int added = from.rank() - shape.rank();
        List<Integer> axes = new ArrayList<>();
        for (int axis = 0; axis < from.rank(); axis++) {
            boolean repeated = axis < added || shape.dim(axis - added).is(1);
            if (repeated && !from.dim(axis).is(1)) {
                axes.add(axis);
            }
        }
        return reshape(axes.isEmpty() ? x : apply(new Reduce(Reduce.Kind.SUM, axes, wide), x), shape);
    }
}
