package dev.remat.compiler.onnx.operator;

import static dev.remat.compiler.onnx.rule.Operator.composed;
import static dev.remat.compiler.onnx.rule.Operator.direct;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Operators that take parts of a tensor, or surround it. */
final class PartOperators {
    private static final long FAR = Integer.MAX_VALUE;

    private PartOperators() {}

    static List<Operator> table() {
        return List.of(
                composed("Slice", PartOperators::slice),
                direct("Pad", PartOperators::pad),
                composed("CenterCropPad", PartOperators::centered),
                Operator.ifConstant("Compress", use -> List.of(compress(use))),
                composed("ReverseSequence", PartOperators::reverse));
    }

    private static Tensor slice(Use use) {
        Tensor x = use.in(0);
        List<Dim> starts = use.dims(1, "starts").orElseThrow(() -> use.detail("it lacks its starts"));
        List<Dim> ends = use.dims(2, "ends").orElseThrow(() -> use.detail("it lacks its ends"));
        List<Long> axes = use.numbers(3, "axes")
                .orElseGet(() -> IntStream.range(0, starts.size())
                        .mapToObj(i -> (long) i)
                        .toList());
        List<Long> steps = use.numbers(4, "steps")
                .orElseGet(() -> starts.stream().map(_ -> 1L).toList());
        Tensor part = x;
        for (int i = 0; i < starts.size(); i++) {
            part = slice(use, part, use.axis(axes.get(i), x.rank()), starts.get(i), ends.get(i), steps.get(i));
        }
        return part;
    }

    private static Tensor slice(Use use, Tensor x, int axis, Dim start, Dim end, long step) {
        Dim size = x.dim(axis);
        Expressions out = use.out();
        if (step == 0) {
            throw use.detail("its step is 0");
        }
        if (step > 0) {
            return checked(use, x, axis, bound(start, size, Dim.ZERO, size), bound(end, size, Dim.ZERO, size), step);
        }
        Dim last = size.minus(1);
        Dim from = last.minus(bound(start, size, Dim.ZERO, last));
        Dim to = last.minus(bound(end, size, Dim.of(-1), last));
        return checked(use, out.flip(x, axis), axis, from, to, -step);
    }

    private static Tensor checked(Use use, Tensor x, int axis, Dim start, Dim end, long step) {
        Dim size = end.minus(start);
        if (size.isConstant() && size.value() <= 0) {
            throw use.detail("nothing is left between " + start + " and " + end + ", and no tensor here is empty");
        }
        return use.out().slice(x, axis, start, end, step);
    }

    /** A bound of a slice, counted from the front and inside, as far as that is known. */
    private static Dim bound(Dim said, Dim size, Dim least, Dim most) {
        if (said.isConstant() && said.value() >= FAR) {
            return most;
        }
        if (said.isConstant() && said.value() <= -FAR) {
            return least;
        }
        Dim counted = said.isConstant() && said.value() < 0 ? size.plus(said) : said;
        if (counted.isConstant() && size.isConstant()) {
            return Dim.of(Math.clamp(counted.value(), least.value(), most.value()));
        }
        return counted.isConstant() && counted.value() < 0 ? least : counted;
    }

    private static Tensor pad(Use use) {
        Tensor x = use.in(0);
        List<Long> pads = use.numbers(1, use.has("paddings") ? "paddings" : "pads")
                .orElseThrow(() -> use.detail("it lacks its pads"));
        List<Integer> axes = use.numbers(3, "axes")
                .map(said -> said.stream().map(axis -> use.axis(axis, x.rank())).toList())
                .orElseGet(() -> IntStream.range(0, x.rank()).boxed().toList());
        if (pads.size() != 2 * axes.size()) {
            throw use.detail("it has " + pads.size() + " pads for " + axes.size() + " axes");
        }
        long[] low = new long[x.rank()];
        long[] high = new long[x.rank()];
        for (int i = 0; i < axes.size(); i++) {
            low[axes.get(i)] = pads.get(i);
            high[axes.get(i)] = pads.get(axes.size() + i);
        }
        double value = use.opset() < 11
                ? use.real("value", 0)
                : use.knownIf(2).map(constant -> constant.real(0)).orElse(0.0);
        String mode = switch (use.text("mode", "constant")) {
            case "constant" -> "constant";
            case "reflect" -> "reflect";
            case "edge" -> "replicate";
            case "wrap" -> "circular";
            default -> throw use.detail("its mode is '" + use.text("mode", "") + "'");
        };
        return pad(use, x, low, high, value, mode);
    }

    /** Surrounds a tensor; negative numbers cut off. */
    static Tensor pad(Use use, Tensor x, long[] low, long[] high, double value, String mode) {
        Expressions out = use.out();
        Tensor inner = x;
        List<Long> padding = new ArrayList<>();
        List<Dim> dims = new ArrayList<>();
        for (int axis = 0; axis < x.rank(); axis++) {
            Dim size = x.dim(axis);
            inner = out.slice(inner, axis, Dim.of(Math.max(0, -low[axis])), size.minus(Math.max(0, -high[axis])), 1);
            dims.add(size.plus(low[axis] + high[axis]));
        }
        for (int axis = x.rank() - 1; axis >= 0; axis--) {
            padding.add(Math.max(0, low[axis]));
            padding.add(Math.max(0, high[axis]));
        }
        while (padding.size() > 2 && padding.get(padding.size() - 1) == 0 && padding.get(padding.size() - 2) == 0) {
            padding.removeLast();
            padding.removeLast();
        }
        if (padding.stream().allMatch(number -> number == 0)) {
            return inner;
        }
        List<Object> arguments = new ArrayList<>(List.of(inner, padding));
        if (value != 0) {
            arguments.add(Expressions.named("value", (float) value));
        }
        if (!mode.equals("constant")) {
            arguments.add(Expressions.named("mode", mode));
        }
        return out.call("pad", x.type().with(new Shape(dims)), arguments.toArray());
    }

    private static Tensor centered(Use use) {
        Tensor x = use.in(0);
        List<Long> target = use.numbers(1, "shape").orElseThrow();
        List<Integer> axes = use.integers("axes")
                .map(said -> said.stream().map(axis -> use.axis(axis, x.rank())).toList())
                .orElseGet(() -> IntStream.range(0, x.rank()).boxed().toList());
        long[] low = new long[x.rank()];
        long[] high = new long[x.rank()];
        for (int i = 0; i < axes.size(); i++) {
            int axis = axes.get(i);
            long missing = target.get(i) - use.extent(x, axis);
            low[axis] = missing > 0 ? missing / 2 : -(-missing / 2);
            high[axis] = missing - low[axis];
        }
        return pad(use, x, low, high, 0, "constant");
    }

    private static Tensor compress(Use use) {
        Tensor x = use.in(0);
        Constant condition = use.known(1);
        Optional<Integer> axis = use.has("axis") ? Optional.of(use.axis("axis", 0, x.rank())) : Optional.empty();
        Tensor from = axis.isPresent() ? x : use.out().reshape(x, List.of(Expressions.product(x.dims())));
        List<Integer> places = IntStream.range(0, condition.size())
                .filter(i -> !condition.integers().get(i).is(0))
                .boxed()
                .toList();
        return select(use, from, places, axis.orElse(0));
    }

    /** Slices at known places. */
    static Tensor select(Use use, Tensor x, List<Integer> places, int axis) {
        if (places.isEmpty()) {
            throw use.detail("nothing is left, and no tensor here is empty");
        }
        boolean isWhole = x.dim(axis).is(places.size())
                && places.equals(IntStream.range(0, places.size()).boxed().toList());
        if (isWhole) {
            return x;
        }
        return use.out()
                .call(
                        "index_select",
                        x.type().with(x.type().shape().with(axis, Dim.of(places.size()))),
                        x,
                        places,
                        Expressions.named("axis", axis));
    }

    private static Tensor reverse(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        int time = use.axis("time_axis", 0, x.rank());
        int batch = use.axis("batch_axis", 1, x.rank());
        Tensor steps = RangeOperator.count(use, x.dim(time));
        Tensor lengths = out.cast(use.in(1), DType.I64);
        List<Dim> ofSteps = new ArrayList<>();
        List<Dim> ofLengths = new ArrayList<>();
        for (int axis = 0; axis < x.rank(); axis++) {
            ofSteps.add(axis == time ? x.dim(time) : Dim.ONE);
            ofLengths.add(axis == batch ? x.dim(batch) : Dim.ONE);
        }
        steps = out.let(out.reshape(steps, ofSteps));
        lengths = out.let(out.reshape(lengths, ofLengths));
        Tensor back = out.infix("-", out.infix("-", lengths, out.integer(DType.I64, Dim.ONE)), steps);
        Tensor places = out.where(out.infix("<", steps, lengths), back, steps);
        return out.call("gather", x.type(), x, out.broadcast(places, x.type().shape()), time);
    }
}
