package dev.remat.compiler.onnx.operator;

import static dev.remat.compiler.onnx.rule.Operator.composed;
import static dev.remat.compiler.onnx.rule.Operator.direct;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Literals;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import java.util.ArrayList;
import java.util.List;

/** Operators that read or write elements by their numbers. Negative ones count from the end. */
public final class IndexOperators {
    private IndexOperators() {}

    static List<Operator> table() {
        return List.of(
                composed("Gather", use -> gather(use, counted(use))),
                direct("GatherElements", use -> elements(use, counted(use))),
                composed("GatherND", IndexOperators::gatherRows),
                composed("Scatter", IndexOperators::scatter),
                composed("ScatterElements", IndexOperators::scatter),
                composed("ScatterND", IndexOperators::scatterRows),
                direct("OneHot", IndexOperators::oneHot));
    }

    /** Numbers counted from the front. */
    private static Tensor counted(Use use, Tensor index, Dim size) {
        Expressions out = use.out();
        if (index.constant().isPresent()) {
            Constant constant = index.constant().get();
            return Tensor.of(Constant.integers(
                    constant.dtype(),
                    constant.shape(),
                    constant.integers().stream()
                            .map(place -> place.isConstant() && place.value() < 0 ? place.plus(size) : place)
                            .toList()));
        }
        Tensor named = out.let(index);
        return out.where(
                out.infix("<", named, out.number(index.dtype(), 0)),
                out.infix("+", named, out.integer(index.dtype(), size)),
                named);
    }

    /** Operand 1, of places along an axis of operand 0. */
    private static Tensor counted(Use use) {
        Tensor x = use.in(0);
        return counted(use, use.in(1), x.dim(use.axis("axis", 0, x.rank())));
    }

    /** @param index counted from the front */
    public static Tensor gather(Use use, Tensor index) {
        Tensor x = use.in(0);
        int axis = use.axis("axis", 0, x.rank());
        Expressions out = use.out();
        if (index.constant().isPresent() && index.rank() == 0) {
            Dim place = index.constant().get().integers().getFirst();
            return out.squeeze(out.slice(x, axis, place, place.plus(1), 1), axis);
        }
        List<Dim> dims = new ArrayList<>(x.dims());
        dims.remove(axis);
        dims.addAll(axis, index.dims());
        Dim count = Expressions.product(index.dims());
        if (index.constant().isPresent() && index.constant().get().isNumeric()) {
            List<Integer> places = index.constant().get().integers().stream()
                    .map(place -> (int) place.value())
                    .toList();
            return out.reshape(PartOperators.select(use, x, places, axis), dims);
        }
        Tensor selected = out.call(
                "index_select",
                x.type().with(x.type().shape().with(axis, count)),
                x,
                out.reshape(index, List.of(count)),
                Expressions.named("axis", axis));
        return out.reshape(selected, dims);
    }

    /** @param index counted from the front */
    public static Tensor elements(Use use, Tensor index) {
        Tensor x = use.in(0);
        int axis = use.axis("axis", 0, x.rank());
        return use.out().call("gather", x.type().with(index.type().shape()), x, index, axis);
    }

    /** Numbers of rows of a tensor whose first axes are one: what the last axis of {@code index} says. */
    private static Tensor rows(Use use, Tensor index, List<Dim> dims) {
        Expressions out = use.out();
        int last = index.rank() - 1;
        Tensor named = out.let(index);
        Tensor sum = null;
        for (int i = 0; i < dims.size(); i++) {
            Tensor part = out.squeeze(out.slice(named, last, Dim.of(i), Dim.of(i + 1), 1), last);
            part = counted(use, part, dims.get(i));
            Dim stride = Expressions.product(dims.subList(i + 1, dims.size()));
            Tensor scaled = stride.is(1) ? part : out.infix("*", part, out.integer(index.dtype(), stride));
            sum = sum == null ? scaled : out.infix("+", sum, scaled);
        }
        return sum;
    }

    private static Tensor gatherRows(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        Tensor index = use.in(1);
        int batch = (int) use.integer("batch_dims", 0);
        int width = (int) use.extent(index, index.rank() - 1);
        List<Dim> picked = x.dims().subList(batch, batch + width);
        List<Dim> rest = x.dims().subList(batch + width, x.rank());
        Tensor rows = rows(use, index, picked);
        Dim each = Expressions.product(picked);
        List<Dim> around = index.dims().subList(0, index.rank() - 1);
        if (batch > 0) {
            Dim batches = Expressions.product(x.dims().subList(0, batch));
            List<Dim> ofBatches = new ArrayList<>(x.dims().subList(0, batch));
            while (ofBatches.size() < around.size()) {
                ofBatches.add(Dim.ONE);
            }
            Tensor number = out.cast(RangeOperator.count(use, batches), index.dtype());
            rows = out.infix(
                    "+", rows, out.infix("*", out.reshape(number, ofBatches), out.integer(index.dtype(), each)));
        }
        Dim count = Expressions.product(around);
        List<Dim> table = new ArrayList<>(
                List.of(Expressions.product(x.dims().subList(0, batch)).times(each)));
        table.addAll(rest);
        List<Dim> flat = new ArrayList<>(table);
        flat.set(0, count);
        List<Dim> dims = new ArrayList<>(around);
        dims.addAll(rest);
        Tensor selected = out.call(
                "index_select",
                x.type().with(new Shape(flat)),
                out.reshape(x, table),
                out.reshape(rows, List.of(count)),
                Expressions.named("axis", 0));
        return out.reshape(selected, dims);
    }

    private static Tensor scatter(Use use) {
        Tensor x = use.in(0);
        int axis = use.axis("axis", 0, x.rank());
        return put(use, x, counted(use, use.in(1), x.dim(axis)), use.in(2), axis);
    }

    /** Adds, or puts numbers in the place of others. */
    private static Tensor put(Use use, Tensor x, Tensor index, Tensor updates, int axis) {
        Expressions out = use.out();
        switch (use.text("reduction", "none")) {
            case "add" -> {
                return out.call("scatter_add", x.type(), x, index, updates, axis);
            }
            case "none" -> {
                Tensor places = out.let(index);
                Tensor nothing = out.let(out.call("zeros_like", x.type(), x));
                Tensor hits = out.call(
                        "scatter_add", x.type(), nothing, places, out.call("ones_like", updates.type(), updates), axis);
                Tensor values = out.call("scatter_add", x.type(), nothing, places, updates, axis);
                return out.where(out.infix(">", hits, out.number(x.dtype(), 0)), values, x);
            }
            default ->
                throw use.detail(
                        "it reduces by '" + use.text("reduction", "") + "', and what is imported adds or replaces");
        }
    }

    private static Tensor scatterRows(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        Tensor index = use.in(1);
        int width = (int) use.extent(index, index.rank() - 1);
        Dim table = Expressions.product(x.dims().subList(0, width));
        Dim row = Expressions.product(x.dims().subList(width, x.rank()));
        Dim count = Expressions.product(index.dims().subList(0, index.rank() - 1));
        Tensor rows = out.reshape(rows(use, index, x.dims().subList(0, width)), List.of(count, Dim.ONE));
        Tensor changed = put(
                use,
                out.let(out.reshape(x, List.of(table, row))),
                out.broadcast(rows, new Shape(List.of(count, row))),
                out.reshape(use.in(2), List.of(count, row)),
                0);
        return out.reshape(changed, x.dims());
    }

    private static Tensor oneHot(Use use) {
        Expressions out = use.out();
        Dim depth = use.known(1).cast(DType.I64).integers().getFirst();
        Tensor places = use.in(0).dtype().isFloat() ? out.cast(use.in(0), DType.I64) : use.in(0);
        Tensor values = use.in(2);
        int axis = use.axis("axis", -1, places.rank() + 1);
        Tensor index = counted(use, places, depth);
        if (index.constant().isPresent()) {
            index = out.let(Tensor.of(index.type(), out.body().spell(index)));
        }
        DType dtype = values.dtype();
        if (values.constant().isEmpty()) {
            Tensor off = out.squeeze(out.slice(values, 0, Dim.ZERO, Dim.ONE, 1), 0);
            Tensor on = out.squeeze(out.slice(values, 0, Dim.ONE, Dim.of(2), 1), 0);
            Tensor hot = ReductionOperators.oneHot(use, index, depth, axis, DType.F32);
            return out.where(out.infix(">", hot, out.number(DType.F32, 0)), on, off);
        }
        Constant both = values.constant().get();
        DType hotType = dtype == DType.BOOL ? DType.F32 : dtype;
        Tensor hot = ReductionOperators.oneHot(use, index, depth, axis, hotType);
        if (both.real(0) == 0 && both.real(1) == 1) {
            return out.cast(hot, dtype);
        }
        return out.where(
                out.infix(">", hot, out.number(hotType, 0)), full(use, hot, both, 1), out.number(dtype, both.real(0)));
    }

    private static Tensor full(Use use, Tensor like, Constant values, int index) {
        return use.out()
                .call(
                        "full",
                        like.type().with(values.dtype()),
                        like.dims(),
                        Literals.number(values, index),
                        Expressions.named("dtype", values.dtype()));
    }
}
