package dev.remat.compiler.memory;

import dev.remat.ir.StridedView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Whether parts of a buffer fill it, each element once, as slices of one another do in any order of axes. */
final class Tiling {
    private record Axis(long extent, long stride) {}

    /** A part of the buffer from {@code start} on; axes by falling strides. */
    private record Part(long start, List<Axis> axes) {
        static Part of(StridedView view) {
            List<Axis> axes = new ArrayList<>();
            for (int axis = 0; axis < view.rank(); axis++) {
                if (view.extents().get(axis) != 1) {
                    axes.add(new Axis(view.extents().get(axis), view.strides().get(axis)));
                }
            }
            axes.sort(Comparator.comparingLong(Axis::stride).reversed());
            return new Part(view.offset(), axes);
        }

        Part from(long other) {
            return new Part(start - other, axes);
        }

        Part inner() {
            return new Part(start, axes.subList(1, axes.size()));
        }

        /** Whether it is some boxes side by side, each of {@code elements / extent} elements. */
        boolean repeatsOver(long elements) {
            return !axes.isEmpty()
                    && axes.getFirst().stride() > 0
                    && elements % axes.getFirst().stride() == 0
                    && elements / axes.getFirst().stride() == axes.getFirst().extent();
        }
    }

    private Tiling() {}

    /** @param views of a buffer of so many elements */
    static boolean fills(List<StridedView> views, long elements) {
        if (elements == 0) {
            return views.stream().allMatch(view -> view.elements() == 0);
        }
        if (views.stream().anyMatch(view -> view.elements() == 0)) {
            return false;
        }
        return fillParts(views.stream().map(Part::of).toList(), elements);
    }

    private static boolean fillParts(List<Part> parts, long elements) {
        if (parts.size() == 1 && parts.getFirst().axes().isEmpty()) {
            return parts.getFirst().start() == 0 && elements == 1;
        }
        boolean repeat = parts.stream().allMatch(part -> part.repeatsOver(elements))
                && parts.stream().map(part -> part.axes().getFirst()).distinct().count() == 1;
        if (repeat) {
            long each = parts.getFirst().axes().getFirst().stride();
            return fillParts(parts.stream().map(Part::inner).toList(), each);
        }
        List<Part> inOrder =
                parts.stream().sorted(Comparator.comparingLong(Part::start)).toList();
        boolean fill = parts.size() > 1 && inOrder.getFirst().start() == 0;
        for (int i = 0; fill && i < inOrder.size(); i++) {
            long start = inOrder.get(i).start();
            long end = i + 1 < inOrder.size() ? inOrder.get(i + 1).start() : elements;
            fill = end > start && fillParts(List.of(inOrder.get(i).from(start)), end - start);
        }
        return fill;
    }
}
