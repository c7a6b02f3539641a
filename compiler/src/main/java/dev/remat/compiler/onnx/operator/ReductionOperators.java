package dev.remat.compiler.onnx.operator;

import static dev.remat.compiler.onnx.rule.Operator.composed;
import static dev.remat.compiler.onnx.rule.Operator.direct;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Operator.How;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Spelling;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Reductions, softmax, running sums and orders. */
final class ReductionOperators {
    private static final int AXES_OF_SOFTMAX = 13;

    private ReductionOperators() {}

    static List<Operator> table() {
        return List.of(
                reduction("ReduceSum", "sum"),
                reduction("ReduceMean", "mean"),
                reduction("ReduceMax", "amax"),
                reduction("ReduceMin", "amin"),
                reduction("ReduceProd", "prod"),
                reduction("ReduceLogSumExp", "logsumexp"),
                composed("ReduceL1", use -> reduce(use, "sum", use.out().unary("abs", use.in(0)))),
                composed("ReduceL2", use -> use.out().unary("sqrt", reduce(use, "sum", squared(use)))),
                composed("ReduceLogSum", use -> use.out().unary("log", reduce(use, "sum", use.in(0)))),
                composed("ReduceSumSquare", use -> reduce(use, "sum", squared(use))),
                direct("Softmax", use -> along(use, x -> softmax(use, "softmax", x))),
                direct("LogSoftmax", use -> along(use, x -> softmax(use, "log_softmax", x))),
                composed("Hardmax", use -> along(use, x -> hardmax(use, x))),
                composed("ArgMax", use -> extreme(use, "argmax")),
                composed("ArgMin", use -> extreme(use, "argmin")),
                direct("CumSum", use -> running(use, "cumsum", 0)),
                direct("CumProd", use -> running(use, "cumprod", 1)),
                Operator.several("TopK", How.DIRECT, ReductionOperators::topK));
    }

    private static Operator reduction(String name, String function) {
        return direct(name, use -> reduce(use, function, use.in(0)));
    }

    private static Tensor squared(Use use) {
        return use.out().unary("square", use.in(0));
    }

    private static Tensor reduce(Use use, String function, Tensor x) {
        boolean isEmpty = use.numbers(1, "axes").map(List::isEmpty).orElse(true);
        if (isEmpty && use.flag("noop_with_empty_axes", false)) {
            return x;
        }
        if (x.rank() == 0) {
            return x;
        }
        if (x.dtype().isInteger() && function.equals("mean")) {
            return use.out()
                    .cast(
                            use.out()
                                    .unary(
                                            "trunc",
                                            use.out()
                                                    .reduce(
                                                            function,
                                                            use.out().cast(x, DType.F64),
                                                            use.axes(1, x.rank()),
                                                            use.flag("keepdims", true))),
                            x.dtype());
        }
        return use.out().reduce(function, x, use.axes(1, x.rank()), use.flag("keepdims", true));
    }

    /** Applies what works along the last axis, or before version 13 along the axes from one on as if they were one. */
    private static Tensor along(Use use, UnaryOperator<Tensor> function) {
        Tensor x = use.in(0);
        if (use.opset() >= AXES_OF_SOFTMAX) {
            return function.apply(x);
        }
        int axis = (int) use.integer("axis", 1);
        axis = axis < 0 ? axis + x.rank() : axis;
        if (axis == x.rank() - 1) {
            return function.apply(x);
        }
        Dim before = Expressions.product(x.dims().subList(0, axis));
        Dim after = Expressions.product(x.dims().subList(axis, x.rank()));
        return use.out().reshape(function.apply(use.out().reshape(x, List.of(before, after))), x.dims());
    }

    private static int axis(Use use, Tensor x) {
        return use.opset() >= AXES_OF_SOFTMAX ? use.axis("axis", -1, x.rank()) : x.rank() - 1;
    }

    private static Tensor softmax(Use use, String function, Tensor x) {
        int axis = axis(use, x);
        return axis == x.rank() - 1
                ? use.out().unary(function, x)
                : use.out().unary(function, x, Expressions.named("axis", axis));
    }

    private static Tensor hardmax(Use use, Tensor x) {
        int axis = axis(use, x);
        Expressions out = use.out();
        List<Dim> rest = new ArrayList<>(x.dims());
        rest.remove(axis);
        Tensor largest =
                out.call("argmax", new TensorType(DType.I32, new Shape(rest)), x, Expressions.named("axis", axis));
        return oneHot(use, largest, x.dim(axis), axis, x.dtype());
    }

    /** 1 at the place of each integer along a new axis. */
    static Tensor oneHot(Use use, Tensor places, Dim count, int axis, DType dtype) {
        List<Dim> dims = new ArrayList<>(places.dims());
        dims.add(count);
        Tensor hot = use.out()
                .call(
                        "one_hot",
                        new TensorType(dtype, new Shape(dims)),
                        places,
                        count,
                        Expressions.named("dtype", dtype));
        return use.out().move(hot, -1, axis);
    }

    private static Tensor extreme(Use use, String function) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        int axis = use.axis("axis", 0, x.rank());
        boolean keep = use.flag("keepdims", true);
        boolean isLast = use.flag("select_last_index", false);
        Tensor from = isLast ? out.flip(x, axis) : x;
        Tensor place = out.cast(withType(out.reduce(function, from, List.of(axis), keep), DType.I32), DType.I64);
        return isLast ? out.infix("-", out.integer(DType.I64, x.dim(axis).minus(1)), place) : place;
    }

    private static Tensor withType(Tensor x, DType dtype) {
        return Tensor.of(x.type().with(dtype), x.spelling().orElseThrow());
    }

    private static Tensor running(Use use, String function, double neutral) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        int axis = use.axis(use.number(use.known(1).integers().getFirst(), "axis"), x.rank());
        boolean isReversed = use.flag("reverse", false);
        Tensor from = isReversed ? out.flip(x, axis) : x;
        Tensor sums = out.call(function, x.type(), from, axis);
        if (use.flag("exclusive", false)) {
            Tensor shorter = out.slice(sums, axis, Dim.ZERO, x.dim(axis).minus(1), 1);
            List<Integer> padding = new ArrayList<>();
            for (int i = x.rank() - 1; i >= axis; i--) {
                padding.add(i == axis ? 1 : 0);
                padding.add(0);
            }
            sums = out.call("pad", x.type(), shorter, padding, neutral);
        }
        return isReversed ? out.flip(sums, axis) : sums;
    }

    private static List<Tensor> topK(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        Dim count = use.dims(1, "k").orElseThrow().getFirst();
        int axis = use.axis("axis", -1, x.rank());
        List<Object> arguments = new ArrayList<>(List.of(x, count, Expressions.named("axis", axis)));
        if (!use.flag("largest", true)) {
            arguments.add(Expressions.named("largest", false));
        }
        TensorType values = x.type().with(x.type().shape().with(axis, count));
        Spelling call = out.spelling("top_k", arguments.toArray());
        List<Tensor> both = out.tuple(call, List.of(values, values.with(DType.I32)));
        return List.of(both.get(0), out.cast(both.get(1), DType.I64));
    }
}
