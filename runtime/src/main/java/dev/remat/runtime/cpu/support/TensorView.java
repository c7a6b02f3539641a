package dev.remat.runtime.cpu.support;

import dev.remat.ir.DType;
import java.util.Arrays;

/**
 * A tensor as a kernel finds it in the arena.
 *
 * @param offset byte of element 0
 * @param strides elements from one index to the next on each axis; 0 repeats
 */
public record TensorView(DType type, long offset, int[] dims, long[] strides) {
    public static TensorView dense(DType type, long offset, int... dims) {
        return new TensorView(type, offset, dims, IterationSpace.dense(dims));
    }

    /** The strides with which axes of extent 1 repeat over a box. */
    public long[] stridesOver(int[] box) {
        if (box.length != dims.length) {
            throw new IllegalArgumentException(Arrays.toString(dims) + " does not repeat over " + Arrays.toString(box));
        }
        long[] over = new long[box.length];
        for (int axis = 0; axis < box.length; axis++) {
            over[axis] = dims[axis] == 1 ? 0 : strides[axis];
        }
        return over;
    }

    /** The same over a box, in which axes of extent 1 repeat. */
    public TensorView over(int[] box) {
        return new TensorView(type, offset, box, stridesOver(box));
    }
}
