package dev.remat.compiler.builtin;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Unary;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** Elementwise arithmetic on tensors, numbers among them, with the broadcasting rules of NumPy. */
public final class Tensors {
    private Tensors() {}

    public static ValueId binary(Binary.Kind kind, Datum a, Datum b, Emission out) {
        List<ValueId> operands = aligned(kind.name().toLowerCase(Locale.ROOT), a, b, out);
        return out.binary(kind, operands.get(0), operands.get(1));
    }

    public static ValueId compare(Compare.Kind kind, Datum a, Datum b, Emission out) {
        List<ValueId> operands = aligned("a comparison", a, b, out);
        return out.apply(new Compare(kind), operands.get(0), operands.get(1));
    }

    /** {@code a ** b}; small exponents become products, ½ and −½ roots. */
    public static ValueId power(Datum a, Datum b, Emission out) {
        if (a instanceof Datum.Tensor base && Numbers.isNumber(b)) {
            ValueId x = base.id();
            double exponent = Numbers.real(b);
            if (exponent == 1) {
                return x;
            } else if (exponent == 2) {
                return out.mul(x, x);
            } else if (exponent == 3) {
                return out.mul(out.mul(x, x), x);
            } else if (exponent == 0.5) {
                return out.unary(Unary.Kind.SQRT, x);
            } else if (exponent == -0.5) {
                return out.unary(Unary.Kind.RSQRT, x);
            } else if (exponent == -1) {
                return out.div(out.filled(1, out.type(x)), x);
            }
        }
        return binary(Binary.Kind.POW, a, b, out);
    }

    /** Product of the last two axes; axes in front are broadcast. */
    public static ValueId matmul(ValueId a, ValueId b, boolean transposeA, boolean transposeB, Emission out) {
        TensorType left = out.type(a);
        TensorType right = out.type(b);
        if (left.rank() < 2 || right.rank() < 2) {
            throw new SemanticError("E0301", "matmul takes tensors of rank 2 or more, got " + left + " and " + right);
        }
        MatMul op = new MatMul(transposeA, transposeB);
        boolean shared = right.rank() == 2 && left.rank() > 2 && !transposeA;
        Shape frontA = front(left.shape());
        Shape frontB = front(right.shape());
        if (shared || frontA.equals(frontB)) {
            return out.apply(op, a, b);
        }
        Shape front = joint("matmul", left, right, frontA, frontB);
        return out.apply(op, out.expand(a, behind(front, left.shape())), out.expand(b, behind(front, right.shape())));
    }

    /** Numbers become tensors of the other operand's type, tensors are repeated to a common shape. */
    public static List<ValueId> aligned(String what, Datum a, Datum b, Emission out) {
        if (a instanceof Datum.Tensor x && b instanceof Datum.Tensor y) {
            TensorType left = out.type(x.id());
            TensorType right = out.type(y.id());
            if (left.dtype() != right.dtype()) {
                throw new SemanticError(
                        "E0301",
                        what + " takes operands of one dtype, got " + left + " and " + right,
                        "convert one with cast(x, " + left.dtype().label() + ")");
            }
            Shape shape = joint(what, left, right);
            return List.of(out.expand(x.id(), shape), out.expand(y.id(), shape));
        }
        if (a instanceof Datum.Tensor x) {
            return List.of(x.id(), constant(b, out.type(x.id()), out));
        }
        ValueId y = ((Datum.Tensor) b).id();
        return List.of(constant(a, out.type(y), out), y);
    }

    /** The number repeated, which may be in terms of symbols if it is an integer. */
    public static ValueId constant(Datum number, TensorType type, Emission out) {
        if (!type.dtype().isFloat()
                && number instanceof Datum.FloatValue real
                && real.value() != Math.rint(real.value())) {
            throw new SemanticError(
                    "E0302", real.value() + " is no value of " + type.dtype().label(), "cast the tensor first");
        }
        return number instanceof Datum.IntValue(Dim extent)
                ? out.apply(new Constant(1, extent, type))
                : out.filled(Numbers.real(number), type);
    }

    public static Shape joint(String what, TensorType left, TensorType right) {
        return joint(what, left, right, left.shape(), right.shape());
    }

    /** Shape that both repeat to: aligned at the end, extents equal or 1. */
    private static Shape joint(String what, TensorType left, TensorType right, Shape a, Shape b) {
        int rank = Math.max(a.rank(), b.rank());
        List<Dim> dims = new ArrayList<>();
        for (int axis = 0; axis < rank; axis++) {
            Dim m = aligned(a, rank, axis);
            Dim n = aligned(b, rank, axis);
            if (!m.equals(n) && !m.is(1) && !n.is(1)) {
                throw new SemanticError(
                        "E0301",
                        what + " cannot broadcast " + left + " and " + right,
                        "extents " + m + " and " + n + " are neither equal nor 1");
            }
            dims.add(m.is(1) ? n : m);
        }
        return new Shape(dims);
    }

    private static Dim aligned(Shape shape, int rank, int axis) {
        int own = axis - rank + shape.rank();
        return own < 0 ? Dim.ONE : shape.dim(own);
    }

    private static Shape front(Shape shape) {
        return new Shape(shape.dims().subList(0, shape.rank() - 2));
    }

    private static Shape behind(Shape front, Shape shape) {
        List<Dim> dims = new ArrayList<>(front.dims());
        dims.addAll(shape.dims().subList(shape.rank() - 2, shape.rank()));
        return new Shape(dims);
    }

    /** @throws SemanticError if {@code type} has another rank (E0301) */
    public static TensorType ranked(String name, TensorType type, int rank) {
        if (type.rank() != rank) {
            throw new SemanticError("E0301", name + " takes a tensor of rank " + rank + ", got " + type);
        }
        return type;
    }

    /**
     * {@code x} in the dtype that its sums accumulate in. A cast even of f32, which stays f32 where activations are to
     * have 16 bits; where they are not, {@code RemoveIdentities} takes it away.
     */
    public static ValueId wide(ValueId x, Emission out) {
        DType dtype = out.type(x).dtype();
        return dtype.isFloat() ? out.apply(new Cast(dtype.accumulator()), x) : x;
    }

    /** Sum, mean or maximum of all elements, a scalar. */
    public static ValueId total(Reduce.Kind kind, ValueId x, Emission out) {
        List<Integer> axes = IntStream.range(0, out.type(x).rank()).boxed().toList();
        return out.reshape(out.apply(new Reduce(kind, axes), x), Shape.SCALAR);
    }

    /** Without the axes, which have extent 1. */
    public static ValueId dropped(ValueId x, List<Integer> axes, Emission out) {
        List<Dim> left = new ArrayList<>();
        for (int axis = 0; axis < out.type(x).rank(); axis++) {
            if (!axes.contains(axis)) {
                left.add(out.type(x).dim(axis));
            }
        }
        return out.reshape(x, new Shape(left));
    }
}
