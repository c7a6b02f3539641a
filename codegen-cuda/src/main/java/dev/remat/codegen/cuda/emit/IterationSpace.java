package dev.remat.codegen.cuda.emit;

import dev.remat.ir.StridedView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The box that elementwise instructions run over, with as few axes as the strides of all operands allow.
 *
 * @param extents of each axis, none 1
 * @param strides per operand: elements from one index to the next on each axis; 0 repeats
 */
record IterationSpace(List<Long> extents, List<List<Long>> strides) {
    /** The box {@code dims} with the maps of what is read over it; an extent of 1 repeats. */
    static IterationSpace of(long[] dims, List<StridedView> maps) {
        List<List<Long>> strides = new ArrayList<>();
        for (StridedView map : maps) {
            List<Long> over = new ArrayList<>();
            int missing = dims.length - map.rank();
            for (int axis = 0; axis < dims.length; axis++) {
                boolean repeats = axis < missing || map.extents().get(axis - missing) == 1;
                over.add(repeats ? 0L : map.strides().get(axis - missing));
            }
            strides.add(over);
        }
        return collapse(Arrays.stream(dims).boxed().toList(), strides);
    }

    private static IterationSpace collapse(List<Long> dims, List<List<Long>> strides) {
        List<Long> extents = new ArrayList<>();
        List<List<Long>> merged = new ArrayList<>();
        strides.forEach(each -> merged.add(new ArrayList<>()));
        for (int axis = 0; axis < dims.size(); axis++) {
            long extent = dims.get(axis);
            if (extent == 1) {
                continue;
            }
            int last = extents.size() - 1;
            boolean joins = last >= 0;
            for (int k = 0; joins && k < strides.size(); k++) {
                joins = merged.get(k).get(last) == strides.get(k).get(axis) * extent;
            }
            if (joins) {
                extents.set(last, extents.get(last) * extent);
            } else {
                extents.add(extent);
            }
            for (int k = 0; k < strides.size(); k++) {
                if (joins) {
                    merged.get(k).set(last, strides.get(k).get(axis));
                } else {
                    merged.get(k).add(strides.get(k).get(axis));
                }
            }
        }
        return new IterationSpace(extents, merged);
    }

    int rank() {
        return extents.size();
    }

    long elements() {
        return extents.stream().reduce(1L, Math::multiplyExact);
    }

    /** Extent of the axis that runs fastest; 1 for a scalar. */
    long innermost() {
        return extents.isEmpty() ? 1 : extents.getLast();
    }

    boolean isDense(int operand) {
        long step = 1;
        for (int axis = rank() - 1; axis >= 0; axis--) {
            if (strides.get(operand).get(axis) != step) {
                return false;
            }
            step *= extents.get(axis);
        }
        return true;
    }

    /** Whether a box of rows repeats the operand for every row: it is a vector of columns, or a scalar. */
    boolean repeatsForRows(int operand) {
        return rank() == 2
                && strides.get(operand).getFirst() == 0
                && strides.get(operand).getLast() <= 1;
    }

    boolean isScalar(int operand) {
        return strides.get(operand).stream().allMatch(stride -> stride == 0);
    }

    /** Whether every index and every offset fits the 32-bit arithmetic of kernels, numbers below 2³¹. */
    boolean isNarrow() {
        long limit = 1L << 31;
        if (elements() >= limit) {
            return false;
        }
        for (List<Long> operand : strides) {
            long farthest = 0;
            for (int axis = 0; axis < rank(); axis++) {
                farthest += (extents.get(axis) - 1) * operand.get(axis);
            }
            if (farthest >= limit) {
                return false;
            }
        }
        return true;
    }
}
