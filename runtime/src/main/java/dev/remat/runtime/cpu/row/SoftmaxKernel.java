package dev.remat.runtime.cpu.row;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Softmax;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/** Softmax of each row, or its logarithm; rows are stored densely, sums are f64. */
public record SoftmaxKernel(DType type, int rows, int columns, boolean logarithm) {

    public static CpuKernel of(Softmax op) {
        return new CpuKernel(in -> {
            TensorType x = in.operandType(0);
            int columns = Shapes.extent(x, -1);
            SoftmaxKernel kernel = new SoftmaxKernel(x.dtype(), Shapes.elements(x) / columns, columns, op.logarithm());
            long from = in.dense(0);
            long to = in.output();
            return frame -> kernel.run(frame.pool(), frame.arena(), from, to);
        });
    }

    /** Offsets are bytes; the result may overwrite the operand. */
    public void run(WorkerPool pool, MemorySegment arena, long x, long y) {
        int perTask = Math.max(1, 8 * Scratch.CHUNK / columns);
        pool.run(Math.ceilDiv(rows, perTask), (task, scratch) -> {
            int end = Math.min(rows, (task + 1) * perTask);
            for (int row = task * perTask; row < end; row++) {
                long offset = (long) row * columns * type.bytes();
                one(arena, x + offset, y + offset, scratch);
            }
        });
    }

    private void one(MemorySegment arena, long x, long y, Scratch scratch) {
        LogSumExp norm = LogSumExp.of(arena, type, x, columns, scratch);
        double[] values = scratch.doubles2;
        for (int at = 0; at < columns; at += Scratch.CHUNK) {
            int n = Math.min(Scratch.CHUNK, columns - at);
            Elements.load(arena, type, x + (long) at * type.bytes(), values, 0, n, scratch);
            if (logarithm) {
                double shift = norm.value();
                for (int i = 0; i < n; i++) {
                    values[i] -= shift;
                }
            } else {
                LogSumExp.exponentials(values, n, norm.max(), type, scratch);
                double scale = 1 / norm.sum();
                for (int i = 0; i < n; i++) {
                    values[i] *= scale;
                }
            }
            Elements.store(arena, type, y + (long) at * type.bytes(), values, 0, n, scratch);
        }
    }
}
