package dev.remat.runtime.cpu.support;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.ImageLayout;
import java.util.Arrays;
import java.util.List;

/** What the kernels want to know of shapes, which are static and counted in ints. */
public final class Shapes {
    private Shapes() {}

    public static int[] dims(TensorType type) {
        return Arrays.stream(type.shape().toArray()).mapToInt(Math::toIntExact).toArray();
    }

    public static int elements(TensorType type) {
        return Math.toIntExact(type.elements());
    }

    /** Extent of an axis; a negative one counts from the last, which is −1. */
    public static int extent(TensorType type, int axis) {
        return Math.toIntExact(type.dim(axis < 0 ? type.rank() + axis : axis).value());
    }

    /** Product of the extents from axis {@code from} to {@code to}, exclusive. */
    public static int product(TensorType type, int from, int to) {
        return Arrays.stream(dims(type), from, to).reduce(1, Math::multiplyExact);
    }

    /** How many rows the last axis is the length of. */
    public static int rows(TensorType type) {
        return product(type, 0, type.rank() - 1);
    }

    public static boolean[] flags(int rank, List<Integer> axes) {
        boolean[] flags = new boolean[rank];
        axes.forEach(axis -> flags[axis] = true);
        return flags;
    }

    /** Plans for this target lay no images out in another way. */
    public static void expectPlanes(ImageLayout layout) {
        if (layout != ImageLayout.NCHW) {
            throw new IllegalStateException("kernels of the CPU take images as planes, not " + layout);
        }
    }
}
