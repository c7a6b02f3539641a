package dev.remat.runtime.cpu.reduce;

import dev.remat.runtime.cpu.support.Scratch;
import java.util.ArrayList;
import java.util.List;

/**
 * A box seen by a fold: kept axes, folded axes, and kept axes after the last folded one, in this order of loops.
 *
 * @param order the axes in the order of the loops
 * @param outer product of the kept axes before the last folded one
 * @param folded product of the folded axes
 * @param lanes product of the kept axes after the last folded one
 */
record ReductionShape(int[] order, int outer, int folded, int lanes) {

    static ReductionShape of(int[] dims, boolean[] reduced) {
        int lastFolded = -1;
        for (int axis = 0; axis < dims.length; axis++) {
            if (reduced[axis] && dims[axis] > 1) {
                lastFolded = axis;
            }
        }
        List<Integer> kept = new ArrayList<>();
        List<Integer> folds = new ArrayList<>();
        List<Integer> inner = new ArrayList<>();
        int outer = 1;
        int folded = 1;
        int lanes = 1;
        for (int axis = 0; axis < dims.length; axis++) {
            if (reduced[axis]) {
                folds.add(axis);
                folded = Math.multiplyExact(folded, dims[axis]);
            } else if (axis < lastFolded) {
                kept.add(axis);
                outer = Math.multiplyExact(outer, dims[axis]);
            } else {
                inner.add(axis);
                lanes = Math.multiplyExact(lanes, dims[axis]);
            }
        }
        kept.addAll(folds);
        kept.addAll(inner);
        return new ReductionShape(kept.stream().mapToInt(Integer::intValue).toArray(), outer, folded, lanes);
    }

    /** Lanes are staged in blocks of at most a chunk. */
    int laneBlocks() {
        return Math.ceilDiv(lanes, Scratch.CHUNK);
    }
}
