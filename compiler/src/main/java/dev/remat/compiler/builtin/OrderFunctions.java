package dev.remat.compiler.builtin;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Sort;
import java.util.Collections;
import java.util.List;

/** What the order of elements along an axis decides. */
public final class OrderFunctions {
    private OrderFunctions() {}

    public static List<Builtin> table() {
        return List.of(
                extreme("argmax", Reduce.Kind.MAX, "largest"),
                extreme("argmin", Reduce.Kind.MIN, "smallest"),
                Builtin.function(
                        "sort",
                        "x: tensor, axis: int = -1, descending: bool = false",
                        "The numbers along `axis` in order and where they stood, (values, indices of i32). Equal ones"
                                + " keep their order; NaN is more than any number.",
                        (args, out) -> {
                            List<ValueId> sorted = sorted(args, args.flag("descending"), out);
                            return new Datum.ListValue(
                                    sorted.stream()
                                            .map(ElementwiseFunctions::tensor)
                                            .toList(),
                                    true);
                        }),
                Builtin.function(
                        "argsort",
                        "x: tensor, axis: int = -1, descending: bool = false",
                        "Where the numbers along `axis` stand in order, as `sort` gives it.",
                        (args, out) -> tensor(
                                sorted(args, args.flag("descending"), out).get(1))),
                Builtin.function(
                        "top_k",
                        "x: tensor, k: int, axis: int = -1, largest: bool = true",
                        "The first `k` of the sorted numbers along `axis`, the largest first: (values, indices of"
                                + " i32).",
                        OrderFunctions::topK));
    }

    private static List<ValueId> sorted(Arguments args, boolean descending, Emission out) {
        ValueId x = args.tensor("x");
        return ReductionFunctions.along(
                new Sort(descending), x, args.axis("axis", out.type(x).rank()), out);
    }

    private static Datum topK(Arguments args, Emission out) {
        TensorType type = out.type(args.tensor("x"));
        int axis = args.axis("axis", type.rank());
        Dim k = args.dim("k");
        Dim extent = type.dim(axis);
        if (k.isConstant() && (k.value() < 1 || extent.isConstant() && k.value() > extent.value())) {
            throw new SemanticError("E0306", "top_k takes from 1 to " + extent + " elements of " + type + ", not " + k);
        }
        return new Datum.ListValue(
                sorted(args, args.flag("largest"), out).stream()
                        .map(all -> tensor(SelectionFunctions.part(all, axis, Dim.ZERO, k, out)))
                        .toList(),
                true);
    }

    private static Builtin extreme(String name, Reduce.Kind kind, String which) {
        return Builtin.function(
                name,
                "x: tensor, axis: int = none, keepdim: bool = false",
                "Index, of i32, of the " + which
                        + " element along `axis`, the first of several, NaN before all; in all of `x` without it.",
                (args, out) -> {
                    ValueId x = args.tensor("x");
                    if (!args.isGiven("axis")) {
                        Shape flat = new Shape(List.of(out.type(x).shape().elements()));
                        return tensor(out.reshape(first(kind, out.reshape(x, flat), 0, out), Shape.SCALAR));
                    }
                    int axis = args.axis("axis", out.type(x).rank());
                    ValueId index = first(kind, x, axis, out);
                    return tensor(
                            args.flag("keepdim")
                                    ? index
                                    : out.reshape(index, ShapeFunctions.without(out.type(index), axis)));
                });
    }

    /** The least index of an element that equals the extreme one, or is not a number; the axis keeps extent 1. */
    private static ValueId first(Reduce.Kind kind, ValueId x, int axis, Emission out) {
        TensorType type = out.type(x);
        List<Integer> axes = List.of(axis);
        ValueId extreme = out.expand(out.apply(new Reduce(kind, axes), x), type.shape());
        ValueId found = out.apply(new Compare(Compare.Kind.EQ), x, extreme);
        if (type.dtype().isFloat()) {
            found = out.binary(Binary.Kind.OR, found, out.apply(new Compare(Compare.Kind.NE), x, x));
        }
        Shape line = new Shape(Collections.nCopies(type.rank(), Dim.ONE)).with(axis, type.dim(axis));
        TensorType row = new TensorType(DType.I32, new Shape(List.of(type.dim(axis))));
        ValueId index = out.expand(out.reshape(out.apply(new Iota(0, 1, IndexMap.ROW, row)), line), type.shape());
        ValueId none = out.filled(Integer.MAX_VALUE, out.type(index));
        return out.apply(new Reduce(Reduce.Kind.MIN, axes), out.select(found, index, none));
    }
}
