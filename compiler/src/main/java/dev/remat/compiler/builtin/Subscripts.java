package dev.remat.compiler.builtin;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Parts of tensors as {@code x[i, a:b, ...]} writes them, with the meaning of NumPy and PyTorch but for bounds: a range
 * that leaves the tensor is an error.
 */
public final class Subscripts {
    private final Emission out;
    private ValueId x;

    private Subscripts(ValueId x, Emission out) {
        this.x = x;
        this.out = out;
    }

    /** What one subscript selects. */
    public sealed interface Selector {
        /** One element, counted from the end if negative; the axis goes. */
        record At(Dim place) implements Selector {}

        /** Every {@code step}th element from {@code start} up to but without {@code end}. */
        record Range(Optional<Dim> start, Optional<Dim> end, long step) implements Selector {}

        /** Whole axes, as many as the other selectors leave. */
        record Rest() implements Selector {}

        /** A new axis of extent 1. */
        record NewAxis() implements Selector {}

        /** The listed elements. */
        record Listed(List<Dim> places) implements Selector {}

        /** Elements by integers, whose axes take the place of the axis. */
        record ByTensor(ValueId index) implements Selector {}
    }

    /**
     * What the selectors select, axis by axis from the first.
     *
     * @throws SemanticError if they do not suit the tensor (E0301, E0306)
     */
    public static ValueId select(ValueId x, List<Selector> selectors, Emission out) {
        return new Subscripts(x, out).select(selectors);
    }

    private ValueId select(List<Selector> selectors) {
        List<Dim> dims = new ArrayList<>();
        List<ValueId> indices = new ArrayList<>();
        int firstIndexed = 0;
        int axis = 0;
        for (Selector selector : withRest(selectors)) {
            switch (selector) {
                case Selector.NewAxis _ -> dims.add(Dim.ONE);
                case Selector.Rest _ -> throw new IllegalStateException("'...' was replaced");
                case Selector.At(Dim place) ->
                    x = SelectionFunctions.part(x, axis, inside(place, extent(axis++)), Dim.ONE, out);
                case Selector.Range range -> {
                    cut(range, axis);
                    dims.add(extent(axis++));
                }
                case Selector.Listed(List<Dim> places) -> {
                    x = ArrangementFunctions.selected(
                            x, ArrangementFunctions.places(places, extent(axis), out), axis, out);
                    dims.add(extent(axis++));
                }
                case Selector.ByTensor(ValueId index) -> {
                    checkIndex(index);
                    firstIndexed = indices.isEmpty() ? dims.size() : firstIndexed;
                    if (dims.size() != firstIndexed + indices.size()) {
                        throw new SemanticError(
                                "E0306",
                                "index tensors stand side by side",
                                "permute the axes first, as in permute(x, [0, 2, 1])");
                    }
                    indices.add(index);
                    dims.add(extent(axis++));
                }
            }
        }
        x = out.reshape(x, new Shape(dims));
        return indices.isEmpty() ? x : picked(indices, firstIndexed);
    }

    /** One selector for each axis, and those that make new ones. */
    private List<Selector> withRest(List<Selector> selectors) {
        TensorType type = out.type(x);
        long taken = selectors.stream()
                .filter(each -> !(each instanceof Selector.NewAxis || each instanceof Selector.Rest))
                .count();
        long rests = selectors.stream().filter(Selector.Rest.class::isInstance).count();
        if (rests > 1) {
            throw new SemanticError("E0306", "'...' stands once in an index");
        }
        if (taken > type.rank()) {
            throw new SemanticError("E0301", taken + " subscripts are more than " + type + " has axes");
        }
        List<Selector> all = new ArrayList<>(selectors);
        int at = rests == 0 ? all.size() : all.indexOf(new Selector.Rest());
        if (rests == 1) {
            all.remove(at);
        }
        Selector whole = new Selector.Range(Optional.empty(), Optional.empty(), 1);
        all.addAll(at, Collections.nCopies(type.rank() - (int) taken, whole));
        return all;
    }

    private Dim extent(int axis) {
        return out.type(x).dim(axis);
    }

    /** The place counted from the start. */
    private static Dim inside(Dim place, Dim extent) {
        Dim at = SelectionFunctions.fromEnd(place, extent);
        Dim after = extent.minus(at);
        if (at.isConstant() && at.value() < 0 || after.isConstant() && after.value() <= 0) {
            throw new SemanticError("E0306", "index " + place + " is outside of the extent " + extent);
        }
        return at;
    }

    private void cut(Selector.Range range, int axis) {
        Dim extent = extent(axis);
        Dim start = SelectionFunctions.fromEnd(range.start().orElse(Dim.ZERO), extent);
        Dim end = SelectionFunctions.fromEnd(range.end().orElse(extent), extent);
        Dim beyond = end.minus(extent);
        if (start.isConstant() && start.value() < 0 || beyond.isConstant() && beyond.value() > 0) {
            throw new SemanticError(
                    "E0301",
                    "the range from " + start + " to " + end + " leaves the extent " + extent + " of " + out.type(x));
        }
        x = SelectionFunctions.range(x, axis, start, end, range.step(), out);
    }

    private void checkIndex(ValueId index) {
        TensorType type = out.type(index);
        if (type.dtype() == DType.BOOL) {
            throw new SemanticError(
                    "E0301",
                    "a mask selects a number of elements that no plan knows, got " + type,
                    "where(mask, x, 0.0) and masked_fill(x, mask, value) keep the shape");
        }
        if (!type.dtype().isInteger()) {
            throw new SemanticError(
                    "E0301", "an index tensor is of i32 or i64, got " + type, "convert it with cast(index, i32)");
        }
    }

    /** Elements by the joint numbers of axes from {@code axis} on, one for each index. */
    private ValueId picked(List<ValueId> indices, int axis) {
        if (indices.size() == 2 && isRowByRow(indices, axis)) {
            return rowByRow(indices.get(1), axis);
        }
        ValueId index = indices.getFirst();
        for (ValueId next : indices.subList(1, indices.size())) {
            index = joined(index, next, axis);
        }
        Shape indexed = out.type(index).shape();
        ValueId line = out.reshape(index, new Shape(List.of(indexed.elements())));
        List<Dim> dims = new ArrayList<>(out.type(x).shape().dims());
        dims.remove(axis);
        dims.addAll(axis, indexed.dims());
        return out.reshape(ArrangementFunctions.selected(x, line, axis, out), new Shape(dims));
    }

    /** Makes one axis of two, and gives the number along it that two indices have together. */
    private ValueId joined(ValueId index, ValueId next, int axis) {
        Dim rows = extent(axis);
        Dim columns = extent(axis + 1);
        List<Dim> dims = new ArrayList<>(out.type(x).shape().dims());
        dims.remove(axis + 1);
        dims.set(axis, rows.times(columns));
        x = out.reshape(x, new Shape(dims));
        DType dtype = out.type(index).dtype() == out.type(next).dtype()
                ? out.type(next).dtype()
                : DType.I64;
        Shape shape = Tensors.joint("an index", out.type(index), out.type(next));
        ValueId first = out.expand(out.cast(firstOfRow(index, rows, columns), dtype), shape);
        return out.add(first, out.expand(out.cast(next, dtype), shape));
    }

    /** Number of the first element of each row. */
    private ValueId firstOfRow(ValueId row, Dim rows, Dim columns) {
        TensorType type = out.type(row);
        if (columns.isConstant()) {
            return out.scale(row, columns.value());
        }
        Shape table = new Shape(List.of(rows, columns));
        ValueId numbers = out.apply(new Iota(0, 1, IndexMap.ROW, type.with(new Shape(List.of(table.elements())))));
        ValueId first = SelectionFunctions.part(out.reshape(numbers, table), 1, Dim.ZERO, Dim.ONE, out);
        ValueId line = out.reshape(row, new Shape(List.of(type.shape().elements())));
        ValueId taken = ArrangementFunctions.selected(out.reshape(first, new Shape(List.of(rows))), line, 0, out);
        return out.reshape(taken, type.shape());
    }

    /** Whether this is {@code x[arange(n), j]}: one element of each row, which needs no joint number. */
    private boolean isRowByRow(List<ValueId> indices, int axis) {
        TensorType second = out.type(indices.get(1));
        return out.isCount(indices.getFirst())
                && out.type(indices.getFirst()).dim(0).equals(extent(axis))
                && second.shape().equals(new Shape(List.of(extent(axis))));
    }

    private ValueId rowByRow(ValueId index, int axis) {
        Shape picked = out.type(x).shape().with(axis + 1, Dim.ONE);
        List<Dim> line = new ArrayList<>(Collections.nCopies(picked.rank(), Dim.ONE));
        line.set(axis, extent(axis));
        ValueId indices = out.expand(out.reshape(index, new Shape(line)), picked);
        return Tensors.dropped(out.apply(new Gather(axis + 1), x, indices), List.of(axis + 1), out);
    }
}
