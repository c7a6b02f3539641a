package dev.remat.compiler.builtin;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** The same elements under another shape. */
public final class ShapeFunctions {
    private ShapeFunctions() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "shape",
                        "x: tensor, axis: int = none",
                        "Extent of an axis, or all extents as a tuple.",
                        ShapeFunctions::shape),
                Builtin.function(
                        "rank",
                        "x: tensor",
                        "Number of axes.",
                        (args, out) ->
                                Datum.IntValue.of(out.type(args.tensor("x")).rank())),
                Builtin.function(
                        "reshape",
                        "x: tensor, shape: ints",
                        "The elements in row-major order under another shape; one extent may be -1.",
                        ShapeFunctions::reshape),
                Builtin.function(
                        "flatten",
                        "x: tensor, start_axis: int = 1",
                        "Joins all axes from `start_axis` on.",
                        ShapeFunctions::flatten),
                Builtin.function(
                        "transpose",
                        "x: tensor, axis0: int = -2, axis1: int = -1",
                        "Exchanges two axes.",
                        (args, out) -> {
                            ValueId x = args.tensor("x");
                            int rank = out.type(x).rank();
                            return tensor(out.transpose(
                                    x, exchanged(rank, args.axis("axis0", rank), args.axis("axis1", rank))));
                        }),
                Builtin.function(
                        "permute",
                        "x: tensor, axes: ints",
                        "Axis i of the result is axis `axes[i]` of `x`.",
                        (args, out) -> {
                            ValueId x = args.tensor("x");
                            return tensor(out.transpose(
                                    x, args.axes("axes", out.type(x).rank())));
                        }),
                Builtin.function("unsqueeze", "x: tensor, axis: int", "Puts in an axis of extent 1.", (args, out) -> {
                    ValueId x = args.tensor("x");
                    List<Dim> dims = new ArrayList<>(out.type(x).shape().dims());
                    dims.add(args.axis("axis", dims.size() + 1), Dim.ONE);
                    return tensor(out.reshape(x, new Shape(dims)));
                }),
                Builtin.function(
                        "squeeze", "x: tensor, axis: int", "Drops an axis of extent 1.", ShapeFunctions::squeeze),
                Builtin.function(
                        "broadcast",
                        "x: tensor, shape: ints",
                        "Repeats axes of extent 1, after putting axes in front, until `x` has the shape.",
                        ShapeFunctions::broadcast),
                Builtin.function(
                        "split_heads",
                        "x: tensor, heads: int",
                        "[B, T, heads·D] to [B, heads, T, D].",
                        ShapeFunctions::splitHeads),
                Builtin.function(
                        "merge_heads",
                        "x: tensor",
                        "[B, heads, T, D] to [B, T, heads·D].",
                        ShapeFunctions::mergeHeads));
    }

    /** The shape without one axis. */
    static Shape without(TensorType type, int axis) {
        List<Dim> left = new ArrayList<>(type.shape().dims());
        left.remove(axis);
        return new Shape(left);
    }

    static List<Integer> exchanged(int rank, int axis, int other) {
        List<Integer> axes = new ArrayList<>(IntStream.range(0, rank).boxed().toList());
        Collections.swap(axes, axis, other);
        return axes;
    }

    private static Datum shape(Arguments args, Emission out) {
        TensorType type = out.type(args.tensor("x"));
        if (args.isGiven("axis")) {
            return new Datum.IntValue(type.dim(args.axis("axis", type.rank())));
        }
        List<Datum> dims = new ArrayList<>();
        type.shape().dims().forEach(dim -> dims.add(new Datum.IntValue(dim)));
        return new Datum.ListValue(dims, true);
    }

    private static Datum reshape(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        List<Dim> dims = new ArrayList<>(args.dims("shape"));
        int open = dims.indexOf(Dim.of(-1));
        if (open >= 0) {
            dims.set(open, Dim.ONE);
            Dim known = new Shape(dims).elements();
            Dim elements = out.type(x).shape().elements();
            dims.set(
                    open,
                    elements.divideExact(known)
                            .orElseThrow(() -> new SemanticError(
                                    "E0301",
                                    out.type(x) + " with " + elements + " elements cannot be divided by " + known)));
        }
        return tensor(out.reshape(x, new Shape(dims)));
    }

    private static Datum flatten(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = out.type(x);
        int start = args.axis("start_axis", type.rank());
        List<Dim> dims = new ArrayList<>(type.shape().dims().subList(0, start));
        dims.add(new Shape(type.shape().dims().subList(start, type.rank())).elements());
        return tensor(out.reshape(x, new Shape(dims)));
    }

    private static Datum squeeze(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = out.type(x);
        int axis = args.axis("axis", type.rank());
        if (!type.dim(axis).is(1)) {
            throw new SemanticError("E0301", "axis " + axis + " of " + type + " is not of extent 1");
        }
        List<Dim> dims = new ArrayList<>(type.shape().dims());
        dims.remove(axis);
        return tensor(out.reshape(x, new Shape(dims)));
    }

    private static Datum broadcast(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        Shape shape = args.shape("shape");
        if (shape.rank() < out.type(x).rank()) {
            throw new SemanticError("E0301", out.type(x) + " cannot be repeated to " + shape);
        }
        return tensor(out.expand(x, shape));
    }

    private static Datum splitHeads(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = Tensors.ranked("split_heads", out.type(x), 3);
        Dim heads = args.dim("heads");
        Dim width = type.dim(2)
                .divideExact(heads)
                .orElseThrow(() -> new SemanticError(
                        "E0301", "width " + type.dim(2) + " cannot be divided into " + heads + " heads"));
        ValueId apart = out.reshape(x, new Shape(List.of(type.dim(0), type.dim(1), heads, width)));
        return tensor(out.transpose(apart, List.of(0, 2, 1, 3)));
    }

    private static Datum mergeHeads(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = Tensors.ranked("merge_heads", out.type(x), 4);
        ValueId together = out.transpose(x, List.of(0, 2, 1, 3));
        Shape shape = new Shape(List.of(type.dim(0), type.dim(2), type.dim(1).times(type.dim(3))));
        return tensor(out.reshape(together, shape));
    }
}
