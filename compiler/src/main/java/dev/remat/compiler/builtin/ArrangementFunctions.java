package dev.remat.compiler.builtin;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.CumulativeSum;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.Table;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Tensors with their elements in other places. */
public final class ArrangementFunctions {
    private ArrangementFunctions() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "stack",
                        "tensors: tensors, axis: int = 0",
                        "Tensors of one type beside each other along a new axis.",
                        ArrangementFunctions::stack),
                Builtin.function(
                        "tile",
                        "x: tensor, repeats: ints",
                        "The whole tensor so many times along each axis, the last ones if there are fewer numbers.",
                        ArrangementFunctions::tile),
                Builtin.function(
                        "repeat_interleave",
                        "x: tensor, repeats: int, axis: int",
                        "Every element so many times along `axis`.",
                        (args, out) -> {
                            ValueId x = args.tensor("x");
                            int axis = args.axis("axis", out.type(x).rank());
                            return tensor(repeated(x, axis, args.dim("repeats"), true, out));
                        }),
                Builtin.function(
                        "flip",
                        "x: tensor, axis: int",
                        "The elements along `axis` from the last to the first.",
                        (args, out) -> {
                            ValueId x = args.tensor("x");
                            int axis = args.axis("axis", out.type(x).rank());
                            return tensor(selected(x, backwards(out.type(x).dim(axis), out), axis, out));
                        }),
                Builtin.function(
                        "roll",
                        "x: tensor, shift: int, axis: int",
                        "Moves the elements by `shift` along `axis`; what leaves at one end comes in at the other.",
                        ArrangementFunctions::roll),
                Builtin.function(
                        "index_select",
                        "x: tensor, index: any, axis: int = 0",
                        "The slices of `x` along `axis` that `index` counts, a list or an integer tensor [n].",
                        ArrangementFunctions::indexSelect),
                Builtin.function(
                        "scatter_add",
                        "x: tensor, index: tensor, source: tensor, axis: int",
                        "Adds source[i][j] to x[i][index[i][j]] for axis 1, in the order of j; `index` is of i32 or i64"
                                + " and nowhere larger than `source`, nor, but along `axis`, than `x`.",
                        ArrangementFunctions::scatterAdd),
                Builtin.function(
                        "diagonal",
                        "x: tensor, offset: int = 0, axis0: int = -2, axis1: int = -1",
                        "The elements whose index along `axis1` is that along `axis0` and `offset`, as the last axis.",
                        ArrangementFunctions::diagonal),
                Builtin.function(
                        "diag_embed",
                        "x: tensor, offset: int = 0",
                        "Square matrices with the last axis as their diagonal, zeros elsewhere.",
                        ArrangementFunctions::diagEmbed));
    }

    /** The last place of an axis, the one before it, and so on, as integers [n]. */
    private static ValueId backwards(Dim n, Emission out) {
        TensorType row = new TensorType(DType.I32, new Shape(List.of(n)));
        if (n.isConstant()) {
            return out.apply(new Iota(n.value() - 1.0, -1, IndexMap.ROW, row));
        }
        return out.plus(out.apply(new CumulativeSum(true), out.filled(1, row)), -1);
    }

    private static Datum scatterAdd(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        ValueId source = args.tensor("source");
        TensorType type = out.type(x);
        TensorType index = out.type(args.tensor("index"));
        int axis = args.axis("axis", type.rank());
        boolean fits = index.rank() == type.rank() && out.type(source).rank() == type.rank();
        for (int i = 0; fits && i < type.rank(); i++) {
            fits = isWithin(index.dim(i), out.type(source).dim(i))
                    && (i == axis || isWithin(index.dim(i), type.dim(i)));
        }
        if (!fits) {
            throw new SemanticError(
                    "E0301",
                    "scatter_add does not pair " + type + " with indices " + index + " and " + out.type(source));
        }
        List<Dim> missing = new ArrayList<>(Collections.nCopies(type.rank(), Dim.ZERO));
        for (int i = 0; i < type.rank(); i++) {
            source = SelectionFunctions.part(source, i, Dim.ZERO, index.dim(i), out);
            missing.set(i, i == axis ? Dim.ZERO : type.dim(i).minus(index.dim(i)));
        }
        ValueId added = out.apply(new ScatterAdd(axis, type.dim(axis)), source, args.tensor("index"));
        List<Dim> none = Collections.nCopies(type.rank(), Dim.ZERO);
        return tensor(out.add(x, missing.equals(none) ? added : out.apply(new Pad(none, missing, 0), added)));
    }

    /** Whether one extent is at most another; symbols are taken at their word. */
    private static boolean isWithin(Dim extent, Dim most) {
        Dim left = most.minus(extent);
        return !left.isConstant() || left.value() >= 0;
    }

    private static Datum stack(Arguments args, Emission out) {
        List<ValueId> parts = args.tensors("tensors");
        if (parts.isEmpty()) {
            throw new SemanticError("E0306", "stack takes at least one tensor");
        }
        TensorType type = out.type(parts.getFirst());
        int axis = args.axis("axis", type.rank() + 1);
        List<Dim> dims = new ArrayList<>(type.shape().dims());
        dims.add(axis, Dim.ONE);
        List<ValueId> raised = new ArrayList<>();
        for (ValueId part : parts) {
            if (!out.type(part).equals(type)) {
                throw new SemanticError(
                        "E0301", "stack takes tensors of one type, got " + type + " and " + out.type(part));
            }
            raised.add(out.reshape(part, new Shape(dims)));
        }
        return tensor(
                raised.size() == 1
                        ? raised.getFirst()
                        : out.emit(new Concat(axis), raised).getFirst());
    }

    private static Datum tile(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        List<Dim> repeats = args.dims("repeats");
        int missing = repeats.size() - out.type(x).rank();
        if (missing > 0) {
            List<Dim> dims = new ArrayList<>(Collections.nCopies(missing, Dim.ONE));
            dims.addAll(out.type(x).shape().dims());
            x = out.reshape(x, new Shape(dims));
        }
        int first = out.type(x).rank() - repeats.size();
        for (int i = 0; i < repeats.size(); i++) {
            x = repeated(x, first + i, repeats.get(i), false, out);
        }
        return tensor(x);
    }

    /** Repeats along one axis, each element or the whole. */
    private static ValueId repeated(ValueId x, int axis, Dim times, boolean each, Emission out) {
        if (times.is(1)) {
            return x;
        }
        if (times.isConstant() && times.value() < 1) {
            throw new SemanticError("E0306", "nothing is repeated " + times + " times");
        }
        TensorType type = out.type(x);
        List<Dim> single = new ArrayList<>(type.shape().dims());
        single.add(each ? axis + 1 : axis, Dim.ONE);
        List<Dim> many = new ArrayList<>(single);
        many.set(each ? axis + 1 : axis, times);
        ValueId all = out.expand(out.reshape(x, new Shape(single)), new Shape(many));
        return out.reshape(all, type.shape().with(axis, type.dim(axis).times(times)));
    }

    private static Datum roll(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = out.type(x);
        int axis = args.axis("axis", type.rank());
        Dim extent = type.dim(axis);
        long shift = args.integer("shift");
        // Without a known extent, the shift is taken to be less than it.
        Dim head = Dim.of(extent.isConstant() ? Math.floorMod(shift, extent.value()) : shift);
        if (head.is(0)) {
            return tensor(x);
        }
        Dim cut = head.value() > 0 ? extent.minus(head) : head.times(-1);
        ValueId end = SelectionFunctions.part(x, axis, cut, extent.minus(cut), out);
        ValueId start = SelectionFunctions.part(x, axis, Dim.ZERO, cut, out);
        return tensor(out.emit(new Concat(axis), List.of(end, start)).getFirst());
    }

    private static Datum indexSelect(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        int axis = args.axis("axis", out.type(x).rank());
        Datum index = args.any("index");
        if (index instanceof Datum.Tensor ids) {
            if (out.type(ids.id()).rank() != 1) {
                throw new SemanticError("E0301", "an index is an integer tensor [n], got " + out.type(ids.id()));
            }
            return tensor(selected(x, ids.id(), axis, out));
        }
        if (!Kind.INTS.accepts(index)) {
            throw new SemanticError("E0302", "an index is a list of integers or a tensor, not " + index.kind());
        }
        ValueId places = places(args.dims("index"), out.type(x).dim(axis), out);
        return tensor(selected(x, places, axis, out));
    }

    /** Listed places along an axis of {@code extent} as a tensor [n], those from the end counted from the start. */
    static ValueId places(List<Dim> listed, Dim extent, Emission out) {
        List<Double> places = new ArrayList<>();
        for (Dim place : listed) {
            long at = Numbers.known(place.isConstant() && place.value() < 0 ? extent.plus(place) : place);
            if (at < 0 || extent.isConstant() && at >= extent.value()) {
                throw new SemanticError("E0306", "index " + place + " is outside of the extent " + extent);
            }
            places.add((double) at);
        }
        if (places.isEmpty() || places.size() > Table.MOST_VALUES) {
            throw new SemanticError("E0306", "an index of " + places.size() + " places; at most " + Table.MOST_VALUES);
        }
        TensorType row = TensorType.of(DType.I32, places.size());
        return out.apply(new Table(places, IndexMap.ROW, row));
    }

    /** Slices along an axis by integers [n]: rows of a table, where the numbers are floating point. */
    public static ValueId selected(ValueId x, ValueId index, int axis, Emission out) {
        TensorType type = out.type(x);
        Dim count = out.type(index).dim(0);
        Shape picked = type.shape().with(axis, count);
        if (type.rank() == 1 || !type.dtype().isFloat()) {
            Shape line = new Shape(Collections.nCopies(type.rank(), Dim.ONE)).with(axis, count);
            return out.apply(new Gather(axis), x, out.expand(out.reshape(index, line), picked));
        }
        List<Integer> exchanged = ShapeFunctions.exchanged(type.rank(), 0, axis);
        ValueId front = axis == 0 ? x : out.transpose(x, exchanged);
        Shape frontShape = out.type(front).shape();
        Dim width = new Shape(frontShape.dims().subList(1, type.rank())).elements();
        ValueId rows = out.reshape(front, new Shape(List.of(frontShape.dim(0), width)));
        ValueId taken = out.reshape(out.apply(new Embedding(), rows, index), frontShape.with(0, count));
        return axis == 0 ? taken : out.transpose(taken, exchanged);
    }

    private static Datum diagonal(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        int rank = out.type(x).rank();
        if (rank < 2) {
            throw new SemanticError("E0301", "diagonal takes tensors of rank 2 or more, got " + out.type(x));
        }
        int axis0 = args.axis("axis0", rank);
        int axis1 = args.axis("axis1", rank);
        if (axis0 == axis1) {
            throw new SemanticError("E0306", "a diagonal runs along two axes");
        }
        List<Integer> order = new ArrayList<>(IntStream.range(0, rank)
                .filter(a -> a != axis0 && a != axis1)
                .boxed()
                .toList());
        order.add(axis0);
        order.add(axis1);
        ValueId matrices = out.transpose(x, order);
        TensorType type = out.type(matrices);
        Dim rows = type.dim(rank - 2);
        long offset = args.integer("offset");
        Dim below = rows.minus(Math.max(-offset, 0));
        Dim beside = type.dim(rank - 1).minus(Math.max(offset, 0));
        Dim more = beside.minus(below);
        if (!more.isConstant()) {
            throw new SemanticError(
                    "E0304",
                    "which of " + below + " and " + beside + " is less is not known when the model is read",
                    "use a hyper-parameter, or bind the symbol with --set");
        }
        Dim length = more.value() < 0 ? beside : below;
        if (length.isConstant() && length.value() < 1) {
            throw new SemanticError("E0306", "there is no diagonal " + offset + " in " + type);
        }
        ValueId on = out.expand(
                CreationFunctions.band(rows, type.dim(rank - 1), Dim.of(offset), Compare.Kind.EQ, out), type.shape());
        ValueId kept = out.sum(out.select(on, matrices, out.filled(0, type)), List.of(rank - 1));
        Shape column = new Shape(type.shape().dims().subList(0, rank - 1));
        return tensor(SelectionFunctions.part(
                out.reshape(kept, column), rank - 2, Dim.of(Math.max(-offset, 0)), length, out));
    }

    private static Datum diagEmbed(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        int rank = out.type(x).rank();
        if (rank < 1) {
            throw new SemanticError("E0301", "diag_embed takes tensors of rank 1 or more, got " + out.type(x));
        }
        long offset = args.integer("offset");
        if (offset != 0) {
            List<Dim> low = new ArrayList<>(Collections.nCopies(rank, Dim.ZERO));
            List<Dim> high = new ArrayList<>(low);
            low.set(rank - 1, Dim.of(Math.max(-offset, 0)));
            high.set(rank - 1, Dim.of(Math.max(offset, 0)));
            x = out.apply(new Pad(low, high, 0), x);
        }
        TensorType type = out.type(x);
        Dim n = type.dim(rank - 1);
        List<Dim> upright = new ArrayList<>(type.shape().dims());
        upright.add(Dim.ONE);
        List<Dim> square = new ArrayList<>(type.shape().dims());
        square.add(n);
        ValueId wide = out.expand(out.reshape(x, new Shape(upright)), new Shape(square));
        ValueId on = out.expand(CreationFunctions.band(n, n, Dim.of(offset), Compare.Kind.EQ, out), new Shape(square));
        return tensor(out.select(on, wide, out.filled(0, out.type(wide))));
    }
}
