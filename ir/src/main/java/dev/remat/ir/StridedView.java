package dev.remat.ir;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * How a tensor lies in a buffer: element {@code (i0, i1, …)} is element {@code offset + Σ i·stride} of the buffer. All
 * numbers count elements.
 *
 * @param offset first element
 * @param extents extent of each axis
 * @param strides step of each axis; 0 repeats
 */
public record StridedView(long offset, List<Long> extents, List<Long> strides) {
    public StridedView {
        extents = List.copyOf(extents);
        strides = List.copyOf(strides);
        if (extents.size() != strides.size()) {
            throw new IllegalArgumentException("extents " + extents + " against strides " + strides);
        }
    }

    /** The whole buffer, row-major. */
    public static StridedView dense(Shape shape) {
        List<Long> extents = Arrays.stream(shape.toArray()).boxed().toList();
        return new StridedView(0, extents, rowMajor(extents));
    }

    private static List<Long> rowMajor(List<Long> extents) {
        Long[] strides = new Long[extents.size()];
        long step = 1;
        for (int axis = strides.length - 1; axis >= 0; axis--) {
            strides[axis] = step;
            step *= extents.get(axis);
        }
        return List.of(strides);
    }

    /** Of the tensor that is seen. */
    public Shape shape() {
        long[] dimensions = new long[rank()];
        for (int axis = 0; axis < dimensions.length; axis++) {
            dimensions[axis] = extents.get(axis);
        }
        return Shape.of(dimensions);
    }

    public int rank() {
        return extents.size();
    }

    public long elements() {
        long product = 1;
        for (long extent : extents) {
            product *= extent;
        }
        return product;
    }

    /** Where in the buffer an element lies, given its number in row-major order. */
    public long place(long element) {
        long place = offset;
        long rest = element;
        for (int axis = rank() - 1; axis >= 0; axis--) {
            place += rest % extents.get(axis) * strides.get(axis);
            rest /= extents.get(axis);
        }
        return place;
    }

    /** Whether the elements lie side by side in row-major order, from {@link #offset} on. */
    public boolean isContiguous() {
        long step = 1;
        for (int axis = rank() - 1; axis >= 0; axis--) {
            if (extents.get(axis) != 1 && strides.get(axis) != step) {
                return false;
            }
            step *= extents.get(axis);
        }
        return true;
    }

    public StridedView transpose(List<Integer> permutation) {
        return new StridedView(
                offset,
                permutation.stream().map(extents::get).toList(),
                permutation.stream().map(strides::get).toList());
    }

    /** The box of {@code sizes} that begins at {@code starts}. */
    public StridedView slice(List<Long> starts, List<Long> sizes) {
        long first = offset;
        for (int axis = 0; axis < rank(); axis++) {
            first += starts.get(axis) * strides.get(axis);
        }
        return new StridedView(first, sizes, strides);
    }

    /** Repeats axes of extent 1 to {@code sizes}. */
    public StridedView broadcast(List<Long> sizes) {
        List<Long> repeated = new ArrayList<>();
        for (int axis = 0; axis < rank(); axis++) {
            boolean same = extents.get(axis).equals(sizes.get(axis));
            repeated.add(same ? strides.get(axis) : Long.valueOf(0));
        }
        return new StridedView(offset, sizes, repeated);
    }

    /** The same elements under other extents; empty where no strides express it. */
    public Optional<StridedView> reshape(List<Long> sizes) {
        if (isContiguous()) {
            return Optional.of(new StridedView(offset, sizes, rowMajor(sizes)));
        }
        return withoutUnitAxes().split(sizes);
    }

    private StridedView withoutUnitAxes() {
        List<Integer> kept = IntStream.range(0, rank())
                .filter(axis -> extents.get(axis) != 1)
                .boxed()
                .toList();
        return transpose(kept);
    }

    /** Divides runs of axes that can be walked as one among {@code sizes}; no axis has extent 1. */
    private Optional<StridedView> split(List<Long> sizes) {
        Long[] result = new Long[sizes.size()];
        int to = sizes.size() - 1;
        int from = rank() - 1;
        while (from >= 0) {
            long chunk = extents.get(from);
            long step = strides.get(from);
            int first = from;
            while (first > 0 && mergeable(first - 1, first)) {
                first--;
                chunk *= extents.get(first);
            }
            long stride = step;
            long filled = 1;
            while (to >= 0 && (filled < chunk || sizes.get(to) == 1)) {
                result[to] = stride;
                stride *= sizes.get(to);
                filled *= sizes.get(to);
                to--;
            }
            if (filled != chunk) {
                return Optional.empty();
            }
            from = first - 1;
        }
        for (; to >= 0; to--) {
            if (sizes.get(to) != 1) {
                return Optional.empty();
            }
            result[to] = 1L;
        }
        return Optional.of(new StridedView(offset, sizes, List.of(result)));
    }

    /** Whether axes {@code outer} and {@code inner}, its right neighbour, can be walked as one. */
    private boolean mergeable(int outer, int inner) {
        return strides.get(outer) == strides.get(inner) * extents.get(inner);
    }
}
