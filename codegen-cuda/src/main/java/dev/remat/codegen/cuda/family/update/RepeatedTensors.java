package dev.remat.codegen.cuda.family.update;

import dev.remat.ir.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * Tensors that repeat along axes of another: statements that find the elements for neighbours of that one. Axes along
 * which the same tensors repeat are one.
 */
final class RepeatedTensors {
    private final long[] box;
    private final Map<Integer, long[]> shapes = new LinkedHashMap<>();
    private final List<Long> extents = new ArrayList<>();
    private final Map<Integer, List<Long>> strides = new LinkedHashMap<>();
    private final List<String> names = new ArrayList<>();

    RepeatedTensors(Shape shape) {
        this.box = shape.toArray();
    }

    void add(int operand, Shape shape) {
        shapes.put(operand, shape.toArray());
    }

    /** From {@code i}, the first element: places {@code p0, p1 …} on the axes. */
    String begin(LongFunction<String> extent) {
        if (shapes.isEmpty()) {
            return "";
        }
        join();
        StringBuilder text = new StringBuilder("u64 rest = i;\n");
        extents.forEach(each -> names.add(extent.apply(each)));
        for (int axis = extents.size() - 1; axis > 0; axis--) {
            text.append("u64 p" + axis + " = rest % " + names.get(axis) + ";\nrest /= " + names.get(axis) + ";\n");
        }
        return text.append("u64 p0 = rest;\n").toString();
    }

    private void join() {
        for (int axis = 0; axis < box.length; axis++) {
            int at = axis;
            boolean same = axis > 0
                    && shapes.values().stream().allMatch(shape -> isRepeated(shape, at) == isRepeated(shape, at - 1));
            if (same) {
                extents.add(extents.removeLast() * box[axis]);
            } else {
                extents.add(box[axis]);
                shapes.forEach((operand, shape) ->
                        strides.computeIfAbsent(operand, _ -> new ArrayList<>()).add(isRepeated(shape, at) ? 0L : 1L));
            }
        }
    }

    private boolean isRepeated(long[] shape, int axis) {
        return shape[axis] == 1;
    }

    /** The elements at the place. */
    String read(String number) {
        StringBuilder text = new StringBuilder();
        strides.forEach((operand, own) -> {
            String place = "0";
            for (int axis = 0; axis < own.size(); axis++) {
                if (own.get(axis) != 0) {
                    place = place.equals("0") ? "p" + axis : "(" + place + ") * " + names.get(axis) + " + p" + axis;
                }
            }
            text.append("const " + number + " r" + operand + " = static_cast<" + number + ">(widen(from" + operand + "["
                    + place + "]));\n");
        });
        return text.toString();
    }

    /** On to the next element. */
    String advance() {
        if (extents.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder();
        for (int axis = extents.size() - 1; axis > 0; axis--) {
            text.append("p" + axis + "++;\nif (p" + axis + " == " + names.get(axis) + ") {\np" + axis + " = 0;\n");
        }
        return text.append("p0++;\n").append("}\n".repeat(extents.size() - 1)).toString();
    }
}
