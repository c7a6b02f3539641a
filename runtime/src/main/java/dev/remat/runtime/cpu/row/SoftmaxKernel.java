package dev.remat.runtime.cpu.row;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Softmax;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.support.Elements;
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
        pool.run(Math.ceilDiv(rows, RowBlock.perTask(columns)), (task, scratch) -> {
            RowBlock.forEach(task, rows, columns, scratch, (first, block) -> {
                long offset = (long) first * columns * type.bytes();
                if (type == DType.F64) {
                    for (int row = 0; row < block.rows(); row++) {
                        inDoubles(arena, x + offset + 8L * row * columns, y + offset + 8L * row * columns);
                    }
                } else {
                    block.load(arena, type, x + offset);
                    compute(block, arena, x + offset);
                    block.store(arena, type, y + offset);
                }
            });
        });
    }

    private void compute(RowBlock block, MemorySegment arena, long x) {
        float[] values = block.values();
        if (logarithm) {
            block.logSumExp();
            block.load(arena, type, x);
        } else {
            block.shiftByLargest();
            block.exponentials();
            block.sum();
        }
        for (int row = 0; row < block.rows(); row++) {
            double norm = block.sums()[row];
            float scale = (float) (1 / norm);
            for (int i = row * columns; i < (row + 1) * columns; i++) {
                values[i] = logarithm ? (float) (values[i] - norm) : values[i] * scale;
            }
        }
    }

    private void inDoubles(MemorySegment arena, long x, long y) {
        LogSumExp norm = LogSumExp.of(arena, x, columns);
        for (long at = 0; at < 8L * columns; at += 8) {
            double value = Elements.get(arena, DType.F64, x + at);
            Elements.set(
                    arena,
                    DType.F64,
                    y + at,
                    logarithm ? value - norm.value() : StrictMath.exp(value - norm.max()) / norm.sum());
        }
    }
}
