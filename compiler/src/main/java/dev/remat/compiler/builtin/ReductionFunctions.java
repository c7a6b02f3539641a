package dev.remat.compiler.builtin;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Softmax;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Sums and other reductions, and softmax, along axes. */
public final class ReductionFunctions {
    private ReductionFunctions() {}

    public static List<Builtin> table() {
        return List.of(
                reduction("sum", Reduce.Kind.SUM, "Sum over `axis`, one or a list; over all without it."),
                reduction("mean", Reduce.Kind.MEAN, "Mean over `axis`, one or a list; over all without it."),
                reduction("amax", Reduce.Kind.MAX, "Maximum over `axis`, one or a list; over all without it."),
                reduction("amin", Reduce.Kind.MIN, "Minimum over `axis`, one or a list; over all without it."),
                reduction(
                        "prod",
                        Reduce.Kind.PROD,
                        "Product over `axis`, one or a list; over all without it. That of integers wraps, over extents"
                                + " that are known."),
                quantifier(
                        "any", Reduce.Kind.MAX, "Whether one is true over `axis`, one or a list; over all without it."),
                quantifier(
                        "all",
                        Reduce.Kind.MIN,
                        "Whether each is true over `axis`, one or a list; over all without it."),
                Builtin.function(
                        "softmax",
                        "x: tensor, axis: int = -1",
                        "eˣ/Σeˣ along `axis`.",
                        (args, out) -> softmax(new Softmax(), args.tensor("x"), args, out)),
                Builtin.function(
                        "softmin",
                        "x: tensor, axis: int = -1",
                        "softmax(−x) along `axis`.",
                        (args, out) -> softmax(new Softmax(), out.neg(args.tensor("x")), args, out)),
                Builtin.function(
                        "log_softmax",
                        "x: tensor, axis: int = -1",
                        "Logarithm of softmax along `axis`.",
                        (args, out) -> softmax(new Softmax(true), args.tensor("x"), args, out)));
    }

    private static Builtin reduction(String name, Reduce.Kind kind, String summary) {
        return Builtin.function(
                name,
                "x: tensor, axis: ints = none, keepdim: bool = false",
                summary,
                (args, out) -> tensor(reduced(kind, args.tensor("x"), args, out)));
    }

    /** Over the axes that the arguments name, and without them unless the arguments keep them. */
    private static ValueId reduced(Reduce.Kind kind, ValueId x, Arguments args, Emission out) {
        TensorType type = out.type(x);
        List<Integer> axes = args.isGiven("axis")
                ? args.axes("axis", type.rank())
                : IntStream.range(0, type.rank()).boxed().toList();
        Reduce op = new Reduce(kind, axes);
        boolean isExact = kind == Reduce.Kind.PROD && type.dtype().isInteger();
        ValueId reduced = isExact ? product(x, op.axes(), out) : out.apply(op, x);
        if (args.flag("keepdim")) {
            return reduced;
        }
        List<Dim> left = new ArrayList<>();
        for (int axis = 0; axis < type.rank(); axis++) {
            if (!axes.contains(axis)) {
                left.add(type.dim(axis));
            }
        }
        return out.reshape(reduced, new Shape(left));
    }

    /** Product of integers, of the one half of an axis by the other until one is left: in any order it is the same. */
    private static ValueId product(ValueId x, List<Integer> axes, Emission out) {
        ValueId product = x;
        for (int axis : axes) {
            ValueId odd = null;
            for (long n = Numbers.known(out.type(x).dim(axis)); n > 1; n /= 2) {
                if (n % 2 == 1) {
                    ValueId last = SelectionFunctions.part(product, axis, Dim.of(n - 1), Dim.ONE, out);
                    odd = odd == null ? last : out.mul(odd, last);
                }
                Dim half = Dim.of(n / 2);
                product = out.mul(
                        SelectionFunctions.part(product, axis, Dim.ZERO, half, out),
                        SelectionFunctions.part(product, axis, half, half, out));
            }
            product = odd == null ? product : out.mul(product, odd);
        }
        return product;
    }

    private static Datum softmax(Softmax op, ValueId x, Arguments args, Emission out) {
        return tensor(along(op, x, args.axis("axis", out.type(x).rank()), out).getFirst());
    }

    /** Operations on the last axis serve the others by exchanging both. */
    static List<ValueId> along(Op op, ValueId x, int axis, Emission out) {
        int last = out.type(x).rank() - 1;
        if (axis == last) {
            return out.emit(op, List.of(x));
        }
        List<Integer> exchanged = ShapeFunctions.exchanged(last + 1, axis, last);
        return out.emit(op, List.of(out.transpose(x, exchanged))).stream()
                .map(result -> out.transpose(result, exchanged))
                .toList();
    }

    /** By the maximum or minimum of 0 and 1. */
    private static Builtin quantifier(String name, Reduce.Kind kind, String summary) {
        return Builtin.function(name, "x: tensor, axis: ints = none, keepdim: bool = false", summary, (args, out) -> {
            if (out.type(args.tensor("x")).dtype() != DType.BOOL) {
                throw new SemanticError("E0301", name + " takes bools, got " + out.type(args.tensor("x")));
            }
            ValueId number = out.cast(args.tensor("x"), DType.I32);
            return tensor(out.cast(reduced(kind, number, args, out), DType.BOOL));
        });
    }
}
