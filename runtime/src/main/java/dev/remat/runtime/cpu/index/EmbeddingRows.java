package dev.remat.runtime.cpu.index;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.EmbeddingGradient;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.Sums;
import dev.remat.runtime.cpu.support.Widening;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * Rows of a table picked by ids, and the gradient by the table.
 *
 * @param table dtype of the table and its gradient: that of the rows, or the one that their sums are computed in
 * @param type of the rows
 * @param ids dtype of the ids
 * @param rows rows of the table
 * @param width elements of a row
 * @param count how many ids
 */
public record EmbeddingRows(DType table, DType type, DType ids, int rows, int width, int count) {
    private static final int STRIPES = 16;

    public static CpuKernel of(Embedding op) {
        return new CpuKernel(in -> {
            EmbeddingRows kernel = of(in.operandType(0), in.resultType(0).dtype(), in.operandType(1));
            long from = in.dense(0);
            long id = in.dense(1);
            long output = in.output();
            return frame -> kernel.run(frame.pool(), frame.arena(), from, id, output);
        });
    }

    public static CpuKernel of(EmbeddingGradient op, OpTypes types) {
        EmbeddingRows kernel = of(types.result(0), types.dtype(0), types.operand(1));
        return new CpuKernel(kernel.gradientWorkspaceBytes(), in -> {
            long dy = in.dense(0);
            long id = in.dense(1);
            long dtable = in.output();
            long workspace = in.workspace();
            return frame -> kernel.runGradient(frame.pool(), frame.arena(), dy, id, dtable, workspace);
        });
    }

    private static EmbeddingRows of(TensorType table, DType type, TensorType ids) {
        return new EmbeddingRows(
                table.dtype(),
                type,
                ids.dtype(),
                Shapes.extent(table, 0),
                Shapes.extent(table, 1),
                Shapes.elements(ids));
    }

    /** Offsets are bytes. */
    public void run(WorkerPool pool, MemorySegment arena, long from, long id, long output) {
        long bytes = (long) width * type.bytes();
        int perTask = Math.max(1, 16 * Scratch.CHUNK / width);
        pool.run(Math.ceilDiv(count, perTask), (task, scratch) -> {
            for (int i = task * perTask; i < Math.min(count, (task + 1) * perTask); i++) {
                long row = from + row(arena, id, i) * width * table.bytes();
                if (table == type) {
                    MemorySegment.copy(arena, row, arena, output + i * bytes, bytes);
                } else {
                    Widening.narrow(arena, type, row, output + i * bytes, width, scratch);
                }
            }
        });
    }

    /**
     * Each row of the table's gradient is the sum of what its ids got, in their order. A task owns the ids of one
     * residue class, so that no two tasks write a row.
     */
    public void runGradient(WorkerPool pool, MemorySegment arena, long dy, long id, long dtable, long workspace) {
        boolean rounds = rounds();
        DType sumType = type.accumulator();
        long sums = rounds ? workspace : dtable;
        long bytes = (long) width * sumType.bytes();
        pool.run(STRIPES, (stripe, scratch) -> {
            for (int row = stripe; row < rows; row += STRIPES) {
                arena.asSlice(sums + row * bytes, bytes).fill((byte) 0);
            }
            for (int i = 0; i < count; i++) {
                long row = row(arena, id, i);
                if (row % STRIPES == stripe) {
                    addRow(arena, dy + (long) i * width * type.bytes(), sums + row * bytes, scratch);
                }
            }
            for (int row = stripe; rounds && row < rows; row += STRIPES) {
                for (int at = 0; at < width; at += Scratch.CHUNK) {
                    int n = Math.min(Scratch.CHUNK, width - at);
                    long sum = sums + row * bytes + (long) at * sumType.bytes();
                    Elements.load(arena, sumType, sum, scratch.floats, 0, n, scratch);
                    Elements.store(
                            arena,
                            type,
                            dtable + ((long) row * width + at) * type.bytes(),
                            scratch.floats,
                            0,
                            n,
                            scratch);
                }
            }
        });
    }

    /** Whether the gradient's sums are rounded at the end. */
    private boolean rounds() {
        return type.accumulator() != table;
    }

    /** Bytes of workspace of the gradient: sums that are to be rounded. */
    public long gradientWorkspaceBytes() {
        return rounds() ? (long) rows * width * type.accumulator().bytes() : 0;
    }

    private void addRow(MemorySegment arena, long from, long to, Scratch scratch) {
        DType sumType = type.accumulator();
        for (int at = 0; at < width; at += Scratch.CHUNK) {
            int n = Math.min(Scratch.CHUNK, width - at);
            long sum = to + (long) at * sumType.bytes();
            long term = from + (long) at * type.bytes();
            if (type == DType.F64) {
                Elements.load(arena, type, sum, scratch.doubles2, 0, n, scratch);
                Elements.load(arena, type, term, scratch.doubles3, 0, n, scratch);
                Sums.add(scratch.doubles2, scratch.doubles3, n);
                Elements.store(arena, type, sum, scratch.doubles2, 0, n, scratch);
            } else {
                Elements.load(arena, sumType, sum, scratch.floats, 0, n, scratch);
                Elements.load(arena, type, term, scratch.floats2, 0, n, scratch);
                Sums.add(scratch.floats, scratch.floats2, n);
                Elements.store(arena, sumType, sum, scratch.floats, 0, n, scratch);
            }
        }
    }

    private long row(MemorySegment arena, long id, int index) {
        return Elements.getIndexBelow(arena, ids, id, index, rows);
    }
}
