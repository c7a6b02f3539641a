package dev.remat.compiler.builtin;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

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

/** Sums, means, maxima and softmax along axes. */
public final class ReductionFunctions {
    private ReductionFunctions() {}

    public static List<Builtin> table() {
        return List.of(
                reduction("sum", Reduce.Kind.SUM, "Sum over `axis`, one or a list; over all without it."),
                reduction("mean", Reduce.Kind.MEAN, "Mean over `axis`, one or a list; over all without it."),
                reduction("amax", Reduce.Kind.MAX, "Maximum over `axis`, one or a list; over all without it."),
                Builtin.function(
                        "softmax",
                        "x: tensor, axis: int = -1",
                        "eˣ/Σeˣ along `axis`.",
                        (args, out) -> along(new Softmax(), args, out)),
                Builtin.function(
                        "log_softmax",
                        "x: tensor, axis: int = -1",
                        "Logarithm of softmax along `axis`.",
                        (args, out) -> along(new Softmax(true), args, out)));
    }

    private static Builtin reduction(String name, Reduce.Kind kind, String summary) {
        return Builtin.function(name, "x: tensor, axis: ints = none, keepdim: bool = false", summary, (args, out) -> {
            ValueId x = args.tensor("x");
            TensorType type = out.type(x);
            List<Integer> axes = args.isGiven("axis")
                    ? args.axes("axis", type.rank())
                    : IntStream.range(0, type.rank()).boxed().toList();
            ValueId reduced = out.apply(new Reduce(kind, axes), x);
            if (args.flag("keepdim")) {
                return tensor(reduced);
            }
            List<Dim> left = new ArrayList<>();
            for (int axis = 0; axis < type.rank(); axis++) {
                if (!axes.contains(axis)) {
                    left.add(type.dim(axis));
                }
            }
            return tensor(out.reshape(reduced, new Shape(left)));
        });
    }

    /** Operations on the last axis serve the others by exchanging both. */
    private static Datum along(Op op, Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        int rank = out.type(x).rank();
        int axis = args.axis("axis", rank);
        if (axis == rank - 1) {
            return tensor(out.apply(op, x));
        }
        List<Integer> exchanged = ShapeFunctions.exchanged(rank, axis, rank - 1);
        return tensor(out.transpose(out.apply(op, out.transpose(x, exchanged)), exchanged));
    }
}
