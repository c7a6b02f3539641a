package dev.remat.runtime.cpu.reduce;

import dev.remat.runtime.cpu.support.Scratch;
import java.util.ArrayList;
import java.util.List;

/**
 * A box seen by a reduction: kept axes, reduced axes, and kept axes after the last reduced one, in this order of loops.
 *
 * @param order the axes in the order of the loops
 * @param outer product of the kept axes before the last reduced one
 * @param terms product of the reduced axes
 * @param lanes product of the kept axes after the last reduced one
 */
record ReductionShape(int[] order, int outer, int terms, int lanes) {

    static ReductionShape of(int[] dims, boolean[] reduced) {
        int lastReduced = -1;
        for (int axis = 0; axis < dims.length; axis++) {
            if (reduced[axis] && dims[axis] > 1) {
                lastReduced = axis;
            }
        }
        List<Integer> kept = new ArrayList<>();
        List<Integer> reducedAxes = new ArrayList<>();
        List<Integer> inner = new ArrayList<>();
        int outer = 1;
        int terms = 1;
        int lanes = 1;
        for (int axis = 0; axis < dims.length; axis++) {
            if (reduced[axis]) {
                reducedAxes.add(axis);
                terms = Math.multiplyExact(terms, dims[axis]);
            } else if (axis < lastReduced) {
                kept.add(axis);
                outer = Math.multiplyExact(outer, dims[axis]);
            } else {
                inner.add(axis);
                lanes = Math.multiplyExact(lanes, dims[axis]);
            }
        }
        kept.addAll(reducedAxes);
        kept.addAll(inner);
        return new ReductionShape(kept.stream().mapToInt(Integer::intValue).toArray(), outer, terms, lanes);
    }

    /** Lanes are staged in blocks of at most a chunk. */
    int laneBlocks() {
        return Math.ceilDiv(lanes, Scratch.CHUNK);
    }
}
