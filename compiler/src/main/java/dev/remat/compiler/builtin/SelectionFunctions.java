package dev.remat.compiler.builtin;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.Slice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Parts of tensors, and tensors from parts. */
public final class SelectionFunctions {
    private SelectionFunctions() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "concat",
                        "tensors: tensors, axis: int = 0",
                        "One after the other along `axis`.",
                        SelectionFunctions::concat),
                Builtin.function(
                        "split",
                        "x: tensor, sections: ints, axis: int = 0",
                        "Into so many equal parts, or parts of the listed extents; a tuple.",
                        SelectionFunctions::split),
                Builtin.function(
                        "slice",
                        "x: tensor, start: int, end: int, axis: int = 0, step: int = 1",
                        "Every `step`th element from `start` up to but without `end` along `axis`; as"
                                + " `x[start:end:step]`.",
                        SelectionFunctions::slice),
                Builtin.function(
                        "gather",
                        "x: tensor, index: tensor, axis: int",
                        "y[i][j] = x[i][index[i][j]] for axis 1; `index` is of i32 or i64.",
                        (args, out) -> {
                            ValueId x = args.tensor("x");
                            Gather op = new Gather(args.axis("axis", out.type(x).rank()));
                            return tensor(out.apply(op, x, args.tensor("index")));
                        }),
                Padding.BUILTIN,
                Builtin.function(
                        "chunk",
                        "x: tensor, chunks: int, axis: int = 0",
                        "Into at most so many parts, of which the last may be smaller; a tuple.",
                        SelectionFunctions::chunk),
                Builtin.function(
                        "one_hot",
                        "ids: tensor, n: int, dtype: dtype = f32",
                        "1 at the place of each integer of `ids` [..] and 0 elsewhere, [.., n].",
                        SelectionFunctions::oneHot),
                Builtin.function(
                        "masked_fill",
                        "x: tensor, mask: tensor, value: float",
                        "`value` where the bool `mask` is true, else `x`; broadcasts.",
                        SelectionFunctions::maskedFill));
    }

    private static Datum concat(Arguments args, Emission out) {
        List<ValueId> parts = args.tensors("tensors");
        if (parts.isEmpty()) {
            throw new SemanticError("E0306", "concat takes at least one tensor");
        }
        int axis = args.axis("axis", out.type(parts.getFirst()).rank());
        return tensor(
                parts.size() == 1
                        ? parts.getFirst()
                        : out.emit(new Concat(axis), parts).getFirst());
    }

    private static Datum split(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = out.type(x);
        int axis = args.axis("axis", type.rank());
        Dim extent = type.dim(axis);
        List<Dim> sizes = new ArrayList<>();
        if (args.any("sections") instanceof Datum.IntValue) {
            long count = args.integer("sections");
            if (count < 1 || count > 10_000) {
                throw new SemanticError("E0306", "cannot split into " + count + " parts");
            }
            Dim size = extent.divideExact(Dim.of(count))
                    .orElseThrow(() -> new SemanticError(
                            "E0301",
                            "extent " + extent + " of " + type + " cannot be split into " + count + " equal parts"));
            sizes.addAll(Collections.nCopies((int) count, size));
        } else {
            sizes.addAll(args.dims("sections"));
        }
        List<Datum> parts = new ArrayList<>();
        Dim start = Dim.ZERO;
        for (Dim size : sizes) {
            parts.add(tensor(part(x, axis, start, size, out)));
            start = start.plus(size);
        }
        if (!start.equals(extent)) {
            throw new SemanticError(
                    "E0301", "parts of " + sizes + " do not add up to the extent " + extent + " of " + type);
        }
        return new Datum.ListValue(parts, true);
    }

    private static Datum slice(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = out.type(x);
        int axis = args.axis("axis", type.rank());
        Dim start = fromEnd(args.dim("start"), type.dim(axis));
        Dim end = fromEnd(args.dim("end"), type.dim(axis));
        return tensor(range(x, axis, start, end, args.integer("step"), out));
    }

    /**
     * Every {@code step}th element along an axis, from {@code start} up to but without {@code end}: the first column of
     * the range in rows of {@code step}.
     */
    static ValueId range(ValueId x, int axis, Dim start, Dim end, long step, Emission out) {
        TensorType type = out.type(x);
        Dim size = end.minus(start);
        if (size.isConstant() && size.value() <= 0) {
            throw new SemanticError("E0301", "the slice from " + start + " to " + end + " of " + type + " is empty");
        }
        if (step < 1) {
            throw new SemanticError("E0306", "a step is positive, not " + step, "flip(x, axis) turns an axis around");
        }
        if (step == 1) {
            return part(x, axis, start, size, out);
        }
        Dim count = size.plus(step - 1).floorDiv(step);
        Dim whole = count.times(step);
        Dim left = type.dim(axis).minus(start).minus(whole);
        boolean fits = whole.equals(size) || left.isConstant() && left.value() >= 0;
        ValueId rows = part(x, axis, start, fits ? whole : size, out);
        if (!fits) {
            List<Dim> none = Collections.nCopies(type.rank(), Dim.ZERO);
            List<Dim> missing = new ArrayList<>(none);
            missing.set(axis, whole.minus(size));
            rows = out.apply(new Pad(none, missing, 0), rows);
        }
        List<Dim> dims = new ArrayList<>(type.shape().dims());
        dims.set(axis, count);
        Shape picked = new Shape(dims);
        dims.add(axis + 1, Dim.of(step));
        return out.reshape(part(out.reshape(rows, new Shape(dims)), axis + 1, Dim.ZERO, Dim.ONE, out), picked);
    }

    static Dim fromEnd(Dim position, Dim extent) {
        return position.isConstant() && position.value() < 0 ? extent.plus(position) : position;
    }

    /** So many elements along an axis, from {@code start} on. */
    public static ValueId part(ValueId x, int axis, Dim start, Dim size, Emission out) {
        TensorType type = out.type(x);
        List<Dim> starts = new ArrayList<>(Collections.nCopies(type.rank(), Dim.ZERO));
        starts.set(axis, start);
        return size.equals(type.dim(axis))
                ? x
                : out.apply(new Slice(starts, type.shape().with(axis, size).dims()), x);
    }

    private static Datum chunk(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        TensorType type = out.type(x);
        int axis = args.axis("axis", type.rank());
        long chunks = args.integer("chunks");
        if (chunks < 1 || chunks > 10_000) {
            throw new SemanticError("E0306", "cannot split into " + chunks + " parts");
        }
        Optional<Dim> equal = type.dim(axis).divideExact(Dim.of(chunks));
        Dim size = equal.isPresent() ? equal.get() : Dim.of(Math.ceilDiv(Numbers.known(type.dim(axis)), chunks));
        List<Datum> parts = new ArrayList<>();
        Dim left = type.dim(axis);
        for (long i = 0; i < chunks && !left.is(0); i++) {
            Dim own = left.isConstant() && left.value() < size.value() ? left : size;
            parts.add(tensor(part(x, axis, type.dim(axis).minus(left), own, out)));
            left = left.minus(own);
        }
        return new Datum.ListValue(parts, true);
    }

    private static Datum oneHot(Arguments args, Emission out) {
        ValueId ids = args.tensor("ids");
        TensorType type = out.type(ids);
        if (!type.dtype().isInteger()) {
            throw new SemanticError("E0301", "one_hot takes integers, got " + type);
        }
        Dim count = args.count("n");
        List<Dim> dims = new ArrayList<>(type.shape().dims());
        dims.add(Dim.ONE);
        Shape shape = new Shape(dims).with(type.rank(), count);
        TensorType row = type.with(new Shape(List.of(count)));
        ValueId classes = out.expand(out.apply(new Iota(0, 1, IndexMap.ROW, row)), shape);
        ValueId chosen = out.expand(out.reshape(ids, new Shape(dims)), shape);
        return tensor(out.cast(out.compare(Compare.Kind.EQ, classes, chosen), args.dtype("dtype")));
    }

    private static Datum maskedFill(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        ValueId mask = args.tensor("mask");
        TensorType type = out.type(x);
        Shape shape = Tensors.joint("masked_fill", type, out.type(mask));
        ValueId value = Tensors.constant(args.any("value"), type.with(shape), out);
        return tensor(out.select(out.expand(mask, shape), value, out.expand(x, shape)));
    }
}
