package dev.remat.runtime.cpu.support;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Nested loops over a box and how far each tensor moves per step of each loop. Loops of one step are dropped and
 * loops that all tensors see as one are merged, so that what is contiguous becomes a single loop.
 *
 * @param dims the loops, outermost first; at least one
 * @param strides for each tensor the elements it moves per step of each loop; 0 broadcasts
 */
public record IterationSpace(int[] dims, long[][] strides) {

    public static IterationSpace of(int[] dims, List<long[]> strides) {
        return of(dims, strides, -1);
    }

    /** Like {@link #of(int[], List)} but never merges loop {@code barrier} with the one before it. */
    static IterationSpace of(int[] dims, List<long[]> strides, int barrier) {
        List<Integer> mergedDims = new ArrayList<>();
        List<long[]> moves = new ArrayList<>();
        boolean mayMerge = false;
        for (int d = 0; d < dims.length; d++) {
            if (d == barrier) {
                mayMerge = false;
            }
            if (dims[d] == 1) {
                continue;
            }
            int axis = d;
            long[] move = strides.stream().mapToLong(stride -> stride[axis]).toArray();
            int last = mergedDims.size() - 1;
            if (mayMerge
                    && isOneLoop(moves.get(last), move, dims[d])
                    && (long) mergedDims.get(last) * dims[d] <= Integer.MAX_VALUE) {
                mergedDims.set(last, mergedDims.get(last) * dims[d]);
                moves.set(last, move);
            } else {
                mergedDims.add(dims[d]);
                moves.add(move);
            }
            mayMerge = true;
        }
        if (mergedDims.isEmpty()) {
            mergedDims.add(1);
            moves.add(new long[strides.size()]);
        }
        long[][] byTensor = new long[strides.size()][moves.size()];
        for (int tensor = 0; tensor < byTensor.length; tensor++) {
            for (int d = 0; d < moves.size(); d++) {
                byTensor[tensor][d] = moves.get(d)[tensor];
            }
        }
        return new IterationSpace(
                mergedDims.stream().mapToInt(Integer::intValue).toArray(), byTensor);
    }

    private static boolean isOneLoop(long[] outer, long[] inner, int innerDim) {
        for (int i = 0; i < outer.length; i++) {
            if (outer[i] != inner[i] * innerDim) {
                return false;
            }
        }
        return true;
    }

    public long size() {
        return Arrays.stream(dims).asLongStream().reduce(1, Math::multiplyExact);
    }

    /** The tensors that the space was made for, as its loops walk over them. */
    public TensorView[] over(List<TensorView> tensors) {
        TensorView[] views = new TensorView[tensors.size()];
        for (int i = 0; i < views.length; i++) {
            views[i] = new TensorView(tensors.get(i).type(), tensors.get(i).offset(), dims, strides[i]);
        }
        return views;
    }

    int inner() {
        return dims[dims.length - 1];
    }

    /** How many consecutive positions a kernel stages at a time: whole inner loops where they are short. */
    public int chunk() {
        int inner = inner();
        return inner >= Scratch.CHUNK ? Scratch.CHUNK : Scratch.CHUNK / inner * inner;
    }

    /** Strides of a densely stored tensor. */
    public static long[] dense(int... dims) {
        long[] strides = new long[dims.length];
        long stride = 1;
        for (int d = dims.length - 1; d >= 0; d--) {
            strides[d] = stride;
            stride *= dims[d];
        }
        return strides;
    }
}
