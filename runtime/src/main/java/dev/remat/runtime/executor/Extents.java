package dev.remat.runtime.executor;

import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import java.util.List;

/** Shapes as the kernels count them: arrays of int, and one axis of extent 1 for scalars. */
final class Extents {
    private Extents() {}

    static int[] of(Shape shape) {
        return shape.rank() == 0
                ? new int[] {1}
                : shape.dims().stream().mapToInt(dim -> Math.toIntExact(dim.value())).toArray();
    }

    /** Strides of a view over a box: axes of extent 1 repeat. */
    static long[] strides(StridedView view, int[] box) {
        long[] strides = new long[box.length];
        for (int axis = 0; axis < view.rank(); axis++) {
            strides[axis] = view.extents().get(axis) == 1 ? 0 : view.strides().get(axis);
        }
        return strides;
    }

    /** Strides of a dense tensor over a box: axes of extent 1 repeat. */
    static long[] strides(Shape shape, int[] box) {
        return strides(StridedView.dense(shape), box);
    }

    static boolean[] reduced(List<Integer> axes, int rank) {
        boolean[] reduced = new boolean[Math.max(rank, 1)];
        axes.forEach(axis -> reduced[axis] = true);
        return reduced;
    }

    static int product(int[] dims, int from, int to) {
        int product = 1;
        for (int axis = from; axis < to; axis++) {
            product = Math.multiplyExact(product, dims[axis]);
        }
        return product;
    }
}
