package dev.remat.compiler.onnx.operator;

import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Spelling;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.Dim;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Windows over the axes of a tensor behind the first two: what convolutions and pools say with the same attributes.
 *
 * @param low and {@code high}, padding before and behind
 */
record Window(
        List<Long> kernel, List<Long> strides, List<Long> dilations, List<Long> low, List<Long> high, boolean ceil) {
    static Window of(Use use, Tensor x, List<Long> kernel) {
        int axes = x.rank() - 2;
        if (axes < 1 || axes > 3) {
            throw use.detail("its operand has " + x.rank() + " axes, and 3 to 5 are known");
        }
        if (kernel.size() != axes) {
            throw use.detail("its kernel has " + kernel.size() + " axes, and its operand " + axes);
        }
        List<Long> strides = use.integers("strides").orElseGet(() -> repeated(1, axes));
        List<Long> dilations = use.integers("dilations").orElseGet(() -> repeated(1, axes));
        List<Long> pads = use.integers("pads").orElseGet(() -> repeated(0, 2 * axes));
        List<Long> low = new ArrayList<>(pads.subList(0, axes));
        List<Long> high = new ArrayList<>(pads.subList(axes, 2 * axes));
        String auto = use.text("auto_pad", "NOTSET");
        for (int i = 0; i < axes; i++) {
            switch (auto) {
                case "NOTSET", "" -> {}
                case "VALID" -> {
                    low.set(i, 0L);
                    high.set(i, 0L);
                }
                case "SAME_UPPER", "SAME_LOWER" -> {
                    long reach = (kernel.get(i) - 1) * dilations.get(i) + 1;
                    long all = reach - strides.get(i);
                    if (strides.get(i) != 1) {
                        long extent = use.extent(x, i + 2);
                        all = (Math.ceilDiv(extent, strides.get(i)) - 1) * strides.get(i) + reach - extent;
                    }
                    all = Math.max(all, 0);
                    long less = all / 2;
                    low.set(i, auto.equals("SAME_UPPER") ? less : all - less);
                    high.set(i, auto.equals("SAME_UPPER") ? all - less : less);
                }
                default -> throw use.detail("its auto_pad is '" + auto + "'");
            }
        }
        return new Window(kernel, strides, dilations, low, high, use.flag("ceil_mode", false));
    }

    static List<Long> repeated(long value, int count) {
        return IntStream.range(0, count).mapToObj(_ -> value).toList();
    }

    int axes() {
        return kernel.size();
    }

    boolean isEven() {
        return low.equals(high);
    }

    boolean isPadded() {
        return low.stream().anyMatch(pad -> pad != 0) || high.stream().anyMatch(pad -> pad != 0);
    }

    /** The same over a tensor that has been padded. */
    Window unpadded() {
        return new Window(kernel, strides, dilations, repeated(0, axes()), repeated(0, axes()), ceil);
    }

    /** Extent of the result along one of the axes. */
    Dim size(Dim extent, int axis) {
        long reach = (kernel.get(axis) - 1) * dilations.get(axis) + 1;
        Dim room = extent.plus(low.get(axis) + high.get(axis)).minus(reach);
        long stride = strides.get(axis);
        if (!ceil) {
            return room.floorDiv(stride).plus(1);
        }
        Dim up = room.plus(stride - 1).floorDiv(stride).plus(1);
        boolean beginsBeyond =
                up.isConstant() && extent.isConstant() && (up.value() - 1) * stride >= extent.value() + low.get(axis);
        return beginsBeyond ? up.minus(1) : up;
    }

    /** Padding of a whole tensor. */
    long[] around(List<Long> pads) {
        long[] all = new long[axes() + 2];
        for (int i = 0; i < axes(); i++) {
            all[i + 2] = pads.get(i);
        }
        return all;
    }

    /** One number of a list of equal ones, else the list. */
    static Object shortest(List<Long> numbers) {
        if (numbers.size() == 1) {
            return numbers.getFirst();
        }
        boolean alike = numbers.stream().distinct().count() == 1;
        return alike ? (Object) numbers.getFirst() : tuple(numbers);
    }

    /** As lists in round brackets, which builtins take for pairs. */
    private static Object tuple(List<Long> numbers) {
        return Spelling.literal(
                String.join(", ", numbers.stream().map(String::valueOf).toList())
                        .transform(text -> numbers.size() == 2 ? "(" + text + ")" : "[" + text + "]"));
    }
}
