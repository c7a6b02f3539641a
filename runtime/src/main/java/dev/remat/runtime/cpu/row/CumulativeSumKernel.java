package dev.remat.runtime.cpu.row;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.CumulativeSum;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/** Running sums of each row, in f64 or in integers; rows are stored densely. */
public record CumulativeSumKernel(DType type, int rows, int columns, boolean reverse) {
    public static CpuKernel of(CumulativeSum op) {
        return new CpuKernel(in -> {
            TensorType x = in.operandType(0);
            CumulativeSumKernel kernel =
                    new CumulativeSumKernel(x.dtype(), Shapes.rows(x), Shapes.extent(x, -1), op.reverse());
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
                one(arena, x, y, (long) row * columns);
            }
        });
    }

    private void one(MemorySegment arena, long x, long y, long first) {
        long whole = 0;
        double real = 0;
        for (int i = 0; i < columns; i++) {
            long at = (first + (reverse ? columns - 1 - i : i)) * type.bytes();
            if (type.isFloat()) {
                real += Elements.get(arena, type, x + at);
                Elements.set(arena, type, y + at, real);
            } else {
                whole += Elements.getIndex(arena, type, x + at);
                Elements.setIndex(arena, type, y + at, whole);
            }
        }
    }
}
