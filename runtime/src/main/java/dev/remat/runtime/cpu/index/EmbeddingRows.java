package dev.remat.runtime.cpu.index;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Embedding;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.Sums;
import dev.remat.runtime.cpu.support.Widening;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

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

    public static CpuKernel ofGradient() {
        return new CpuKernel(in -> {
            EmbeddingRows kernel = of(in.resultType(0), in.dtype(0), in.operandType(1));
            long dy = in.dense(0);
            long id = in.dense(1);
            long others = in.operandTypes().size() == 3 ? in.dense(2) : Elements.NONE;
            long dtable = in.output();
            return frame -> kernel.runGradient(frame.pool(), frame.arena(), dy, id, others, dtable);
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
     * Each row of the table's gradient is the sum of what its ids got, in their order. A task owns the rows of one
     * residue class.
     *
     * @param others what the sum of a row is added to; {@link Elements#NONE} where it is all
     */
    public void runGradient(WorkerPool pool, MemorySegment arena, long dy, long id, long others, long dtable) {
        long bytes = (long) width * table.bytes();
        pool.run(STRIPES, (stripe, scratch) -> {
            long[] order = scratch.order(count);
            int own = inOrder(arena, id, stripe, order);
            int next = 0;
            for (int row = stripe; row < rows; row += STRIPES) {
                int first = next;
                while (next < own && order[next] >>> Integer.SIZE == row) {
                    order[next] = dy + (order[next] & 0xFFFFFFFFL) * width * type.bytes();
                    next++;
                }
                if (first == next && others == Elements.NONE) {
                    arena.asSlice(dtable + row * bytes, bytes).fill((byte) 0);
                } else {
                    long onto = others == Elements.NONE ? Elements.NONE : others + row * bytes;
                    sumRow(arena, order, first, next, onto, dtable + row * bytes, scratch);
                }
            }
        });
    }

    /** Rows of one residue class in the upper half, their ids' places in the lower; gives how many. */
    private int inOrder(MemorySegment arena, long id, int stripe, long[] order) {
        int own = 0;
        for (int i = 0; i < count; i++) {
            long row = row(arena, id, i);
            if (row % STRIPES == stripe) {
                order[own++] = row << Integer.SIZE | i;
            }
        }
        Arrays.sort(order, 0, own);
        return own;
    }

    /** Terms lie where {@code terms} says between two of its places. */
    private void sumRow(MemorySegment arena, long[] terms, int first, int end, long onto, long to, Scratch scratch) {
        for (int at = 0; at < width; at += Scratch.CHUNK) {
            int n = Math.min(Scratch.CHUNK, width - at);
            long here = (long) at * table.bytes();
            if (type == DType.F64) {
                Arrays.fill(scratch.doubles2, 0, n, 0);
                for (int term = first; term < end; term++) {
                    Elements.load(arena, type, terms[term] + here, scratch.doubles3, 0, n, scratch);
                    Sums.add(scratch.doubles2, scratch.doubles3, n);
                }
                if (onto != Elements.NONE) {
                    Elements.load(arena, type, onto + here, scratch.doubles3, 0, n, scratch);
                    Sums.add(scratch.doubles2, scratch.doubles3, n);
                }
                Elements.store(arena, type, to + here, scratch.doubles2, 0, n, scratch);
            } else {
                Arrays.fill(scratch.floats, 0, n, 0);
                for (int term = first; term < end; term++) {
                    long from = terms[term] + (long) at * type.bytes();
                    Elements.load(arena, type, from, scratch.floats2, 0, n, scratch);
                    Sums.add(scratch.floats, scratch.floats2, n);
                }
                if (onto != Elements.NONE) {
                    Elements.load(arena, table, onto + here, scratch.floats2, 0, n, scratch);
                    Sums.add(scratch.floats, scratch.floats2, n);
                }
                Elements.store(arena, table, to + here, scratch.floats, 0, n, scratch);
            }
        }
    }

    private long row(MemorySegment arena, long id, int index) {
        return Elements.getIndexBelow(arena, ids, id, index, rows);
    }
}
