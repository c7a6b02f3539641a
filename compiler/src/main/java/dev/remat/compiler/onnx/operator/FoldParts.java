package dev.remat.compiler.onnx.operator;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.RefusedException;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** What operators that move elements make of known ones. */
final class FoldParts {
    private FoldParts() {}

    private static long count(List<Long> shape) {
        return shape.stream().reduce(1L, Math::multiplyExact);
    }

    /** The shape that two repeat to, if they do and it is small. */
    static Optional<List<Long>> repeated(List<Long> a, List<Long> b) {
        int rank = Math.max(a.size(), b.size());
        List<Long> shape = new ArrayList<>();
        for (int axis = 0; axis < rank; axis++) {
            long inA = axis < rank - a.size() ? 1 : a.get(axis - rank + a.size());
            long inB = axis < rank - b.size() ? 1 : b.get(axis - rank + b.size());
            if (inA != inB && inA != 1 && inB != 1) {
                return Optional.empty();
            }
            shape.add(inA == 1 ? inB : inA);
        }
        long most = Math.max(Fold.MOST_GROWN, Math.max(count(a), count(b)));
        return count(shape) > most ? Optional.empty() : Optional.of(shape);
    }

    /** Which element of a tensor stands at each place of a larger shape that it repeats to. */
    static List<Integer> places(List<Long> from, List<Long> to) {
        List<Integer> places = new ArrayList<>();
        int shift = to.size() - from.size();
        for (long i = 0; i < count(to); i++) {
            long rest = i;
            long place = 0;
            long stride = 1;
            for (int axis = to.size() - 1; axis >= 0; axis--) {
                long at = rest % to.get(axis);
                rest /= to.get(axis);
                if (axis >= shift) {
                    place += from.get(axis - shift) == 1 ? 0 : at * stride;
                    stride *= from.get(axis - shift);
                }
            }
            places.add((int) place);
        }
        return places;
    }

    static Optional<Constant> where(Use use) {
        Constant condition = use.known(0);
        Constant a = use.known(1);
        Constant b = use.known(2);
        Optional<List<Long>> both = repeated(a.shape(), b.shape());
        Optional<List<Long>> shape = both.flatMap(each -> repeated(each, condition.shape()));
        if (shape.isEmpty()) {
            return Optional.empty();
        }
        List<Integer> ofCondition = places(condition.shape(), shape.get());
        List<Integer> ofA = places(a.shape(), shape.get());
        List<Integer> ofB = places(b.shape(), shape.get());
        List<Dim> integers = new ArrayList<>();
        List<Double> reals = new ArrayList<>();
        for (int i = 0; i < ofA.size(); i++) {
            boolean isFirst = !condition.integers().get(ofCondition.get(i)).is(0);
            Constant from = isFirst ? a : b;
            int place = isFirst ? ofA.get(i) : ofB.get(i);
            if (a.dtype().isFloat()) {
                reals.add(from.reals().get(place));
            } else {
                integers.add(from.integers().get(place));
            }
        }
        return Optional.of(new Constant(a.dtype(), shape.get(), integers, reals));
    }

    static Optional<Constant> gather(Use use) {
        Constant x = use.known(0);
        Constant index = use.known(1);
        int axis = use.axis("axis", 0, x.shape().size());
        if (!index.isNumeric()) {
            return Optional.empty();
        }
        long size = x.shape().get(axis);
        List<Long> places = new ArrayList<>();
        for (Dim each : index.integers()) {
            long place = each.value() < 0 ? each.value() + size : each.value();
            if (place < 0 || place >= size) {
                throw new RefusedException("it takes element " + each + " of " + size);
            }
            places.add(place);
        }
        List<Long> shape = new ArrayList<>(x.shape());
        shape.remove(axis);
        shape.addAll(axis, index.shape());
        return picked(x, axis, places).map(picked -> picked.reshaped(shape));
    }

    /** Slices at places along an axis, if they are few. */
    private static Optional<Constant> picked(Constant x, int axis, List<Long> along) {
        long before = count(x.shape().subList(0, axis));
        long after = count(x.shape().subList(axis + 1, x.shape().size()));
        if (before * along.size() * after > Math.max(Fold.MOST_GROWN, x.size())) {
            return Optional.empty();
        }
        List<Integer> places = new ArrayList<>();
        for (long i = 0; i < before; i++) {
            for (long place : along) {
                for (long j = 0; j < after; j++) {
                    places.add((int) ((i * x.shape().get(axis) + place) * after + j));
                }
            }
        }
        List<Long> shape = new ArrayList<>(x.shape());
        shape.set(axis, (long) along.size());
        return Optional.of(x.picked(shape, places));
    }

    static Optional<Constant> slice(Use use) {
        Constant x = use.known(0);
        boolean isNumeric = use.dims(1, "starts").orElseThrow().stream().allMatch(Dim::isConstant)
                && use.dims(2, "ends").orElseThrow().stream().allMatch(Dim::isConstant);
        if (!isNumeric) {
            return Optional.empty();
        }
        List<Long> starts = use.numbers(1, "starts").orElseThrow();
        List<Long> ends = use.numbers(2, "ends").orElseThrow();
        List<Long> axes = use.numbers(3, "axes")
                .orElseGet(() -> LongStream.range(0, starts.size()).boxed().toList());
        List<Long> steps = use.numbers(4, "steps")
                .orElseGet(() -> starts.stream().map(_ -> 1L).toList());
        Optional<Constant> result = Optional.of(x);
        for (int i = 0; i < starts.size(); i++) {
            int axis = use.axis(axes.get(i), x.shape().size());
            List<Long> places = places(x.shape().get(axis), starts.get(i), ends.get(i), steps.get(i));
            result = result.flatMap(each -> picked(each, axis, places));
        }
        return result;
    }

    private static List<Long> places(long size, long from, long to, long step) {
        long start = Math.clamp(from < 0 ? from + size : from, step < 0 ? -1 : 0, step < 0 ? size - 1 : size);
        long end = Math.clamp(to < 0 ? Math.max(to + size, -1) : to, step < 0 ? -1 : 0, size);
        List<Long> places = new ArrayList<>();
        for (long i = Math.max(start, 0); step > 0 ? i < end : step < 0 && i > end; i += step) {
            places.add(i);
        }
        return places;
    }

    static Optional<Constant> concat(Use use) {
        List<Constant> parts =
                use.all().stream().map(part -> part.constant().orElseThrow()).toList();
        Constant first = parts.getFirst();
        int rank = first.shape().size();
        if (parts.stream().anyMatch(part -> part.shape().size() != rank || part.dtype() != first.dtype())) {
            return Optional.empty();
        }
        int axis = use.axis("axis", 1, rank);
        long before = count(first.shape().subList(0, axis));
        List<Dim> integers = new ArrayList<>();
        List<Double> reals = new ArrayList<>();
        for (int i = 0; i < before; i++) {
            for (Constant part : parts) {
                int each = (int) (part.size() / before);
                if (part.dtype().isFloat()) {
                    reals.addAll(part.reals().subList(i * each, (i + 1) * each));
                } else {
                    integers.addAll(part.integers().subList(i * each, (i + 1) * each));
                }
            }
        }
        List<Long> shape = new ArrayList<>(first.shape());
        shape.set(axis, parts.stream().mapToLong(part -> part.shape().get(axis)).sum());
        return integers.size() + reals.size() > Fold.MOST
                ? Optional.empty()
                : Optional.of(new Constant(first.dtype(), shape, integers, reals));
    }

    /** What the rule of the operator makes of it, which leaves constants as they are. */
    static Optional<Constant> reshape(Use use) {
        Tensor result = switch (use.node().operator()) {
            case "Squeeze", "Unsqueeze", "Reshape", "Flatten" ->
                Operators.find(use.node().operator())
                        .flatMap(Operator::rule)
                        .orElseThrow()
                        .write(use)
                        .getFirst();
            default -> throw new IllegalStateException(use.node().operator());
        };
        return result.constant();
    }

    static Optional<Constant> transpose(Use use) {
        Constant x = use.known(0);
        int rank = x.shape().size();
        if (x.size() > Fold.MOST) {
            return Optional.empty();
        }
        List<Long> order = use.integers("perm")
                .orElseGet(() -> LongStream.range(0, rank)
                        .mapToObj(axis -> rank - 1 - axis)
                        .toList());
        List<Long> shape =
                order.stream().map(axis -> x.shape().get(use.axis(axis, rank))).toList();
        long[] strides = new long[rank];
        long stride = 1;
        for (int axis = rank - 1; axis >= 0; axis--) {
            strides[axis] = stride;
            stride *= x.shape().get(axis);
        }
        List<Integer> places = new ArrayList<>();
        for (long i = 0; i < x.size(); i++) {
            long rest = i;
            long place = 0;
            for (int axis = rank - 1; axis >= 0; axis--) {
                place += rest % shape.get(axis) * strides[use.axis(order.get(axis), rank)];
                rest /= shape.get(axis);
            }
            places.add((int) place);
        }
        return Optional.of(x.picked(shape, places));
    }

    static Optional<Constant> expand(Use use) {
        Constant x = use.known(0);
        Constant target = use.known(1);
        if (!target.isNumeric()) {
            return Optional.empty();
        }
        return repeated(x.shape(), target.integers().stream().map(Dim::value).toList())
                .map(shape -> x.picked(shape, places(x.shape(), shape)));
    }

    static Optional<Constant> tile(Use use) {
        Constant x = use.known(0);
        Constant repeats = use.known(1);
        if (x.shape().size() != 1 || !repeats.isNumeric()) {
            return Optional.empty();
        }
        long times = repeats.integers().getFirst().value();
        if (times < 0 || times * x.size() > Fold.MOST_GROWN) {
            return Optional.empty();
        }
        List<Integer> places = new ArrayList<>();
        for (long i = 0; i < times; i++) {
            IntStream.range(0, x.size()).forEach(places::add);
        }
        return Optional.of(x.picked(List.of(times * x.size()), places));
    }

    /** A reduction of a vector of integers. */
    static Optional<Constant> reduce(Use use, BinaryOperator<Dim> function) {
        Constant x = use.known(0);
        if (x.dtype().isFloat() || x.dtype() == DType.BOOL || x.shape().size() != 1 || x.size() == 0) {
            return Optional.empty();
        }
        Dim result = x.integers().getFirst();
        for (Dim each : x.integers().subList(1, x.size())) {
            result = function.apply(result, each);
            if (result == null) {
                return Optional.empty();
            }
        }
        return Optional.of(
                Constant.integers(x.dtype(), use.flag("keepdims", true) ? List.of(1L) : List.of(), List.of(result)));
    }
}
