package dev.remat.runtime.cpu.index;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.runtime.cpu.kernel.Binding;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Shapes;
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

    public static CpuKernel of(Gather op) {
        return new CpuKernel(in -> {
            GatherKernel kernel = of(op.axis(), in, Shapes.extent(in.operandType(0), op.axis()));
            long x = in.dense(0);
            long index = in.dense(1);
            long y = in.output();
            return frame -> kernel.run(frame.pool(), frame.arena(), x, index, y);
        });
    }

    public static CpuKernel of(ScatterAdd op) {
        return new CpuKernel(in -> {
            GatherKernel kernel = of(op.axis(), in, Math.toIntExact(op.extent().value()));
            long dy = in.dense(0);
            long index = in.dense(1);
            long dx = in.output();
            return frame -> kernel.runGradient(frame.pool(), frame.arena(), dy, index, dx);
        });
    }

    private static GatherKernel of(int axis, Binding in, int extent) {
        TensorType indices = in.operandType(1);
        return new GatherKernel(
                in.dtype(0),
                indices.dtype(),
                Shapes.product(indices, 0, axis),
                extent,
                Shapes.extent(indices, axis),
                Shapes.product(indices, axis + 1, indices.rank()));
    }

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
