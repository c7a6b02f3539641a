package dev.remat.runtime.cpu.index;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Picks elements along one axis of dense tensors, and adds them back for the gradient.
 *
 * @param indices dtype of the indices
 * @param outer product of the axes before
 * @param extent the axis in what is picked from
 * @param picks the axis in the indices
 * @param inner product of the axes after
 */
public record GatherKernel(DType type, DType indices, int outer, int extent, int picks, int inner) {

    /** y[o][j][i] = x[o][index[o][j][i]][i]. */
    public void run(WorkerPool pool, MemorySegment arena, long x, long index, long y) {
        int bytes = type.bytes();
        pool.run(outer, (o, scratch) -> {
            for (int j = 0; j < picks; j++) {
                for (int i = 0; i < inner; i++) {
                    long to = ((long) o * picks + j) * inner + i;
                    long from = ((long) o * extent + pick(arena, index, to)) * inner + i;
                    MemorySegment.copy(arena, x + from * bytes, arena, y + to * bytes, bytes);
                }
            }
        });
    }

    /** dx[o][index[o][j][i]][i] sums dy[o][j][i] in the order of j; one lane o, i at a time in f64. */
    public void runGradient(WorkerPool pool, MemorySegment arena, long dy, long index, long dx) {
        int bytes = type.bytes();
        pool.run(outer, (o, scratch) -> {
            double[] sums = scratch.accumulators(extent);
            for (int i = 0; i < inner; i++) {
                Arrays.fill(sums, 0, extent, 0);
                for (int j = 0; j < picks; j++) {
                    long from = ((long) o * picks + j) * inner + i;
                    int to = pick(arena, index, from);
                    double sum = sums[to] + Elements.get(arena, type, dy + from * bytes);
                    sums[to] = type == DType.F64 ? sum : (float) sum;
                }
                for (int e = 0; e < extent; e++) {
                    Elements.set(arena, type, dx + (((long) o * extent + e) * inner + i) * bytes, sums[e]);
                }
            }
        });
    }

    private int pick(MemorySegment arena, long index, long at) {
        return Elements.getIndexBelow(arena, indices, index, at, extent);
    }
}
