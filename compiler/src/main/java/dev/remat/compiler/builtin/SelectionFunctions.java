package dev.remat.compiler.builtin;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.Slice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

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
                        "x: tensor, start: int, end: int, axis: int = 0",
                        "Elements from `start` up to but without `end` along `axis`.",
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
                Builtin.function(
                        "pad",
                        "x: tensor, padding: ints, value: float = 0.0",
                        "Elements before and after, two numbers an axis from the last axis on, as in PyTorch.",
                        SelectionFunctions::pad));
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
        Dim size = end.minus(start);
        if (size.isConstant() && size.value() <= 0) {
            throw new SemanticError("E0301", "the slice from " + start + " to " + end + " of " + type + " is empty");
        }
        return tensor(part(x, axis, start, size, out));
    }

    private static Dim fromEnd(Dim position, Dim extent) {
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

    private static Datum pad(Arguments args, Emission out) {
        ValueId x = args.tensor("x");
        int rank = out.type(x).rank();
        List<Dim> padding = args.dims("padding");
        if (padding.size() % 2 != 0 || padding.size() > 2 * rank) {
            throw new SemanticError("E0306", "padding takes two numbers an axis, at most " + 2 * rank + " here");
        }
        List<Dim> low = new ArrayList<>(Collections.nCopies(rank, Dim.ZERO));
        List<Dim> high = new ArrayList<>(low);
        for (int i = 0; i < padding.size(); i += 2) {
            low.set(rank - 1 - i / 2, padding.get(i));
            high.set(rank - 1 - i / 2, padding.get(i + 1));
        }
        return tensor(out.apply(new Pad(low, high, args.real("value")), x));
    }
}
