package dev.remat.runtime.cpu.attention;

import dev.remat.ir.DType;
import dev.remat.ir.op.Attention;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.MatrixRef;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Scaled dot-product attention tile by tile, so that no score matrix is ever whole (Dao et al., 2022). A task is a
 * block of queries of one head and goes through its keys in order.
 */
public record AttentionKernel(AttentionShape shape, AttentionOperands in) {

    public static CpuKernel of(Attention op, OpTypes types) {
        AttentionShape shape = AttentionShape.of(op, types.operands());
        return new CpuKernel(workspaceBytes(shape, WorkerPool.MOST_THREADS), in -> {
            AttentionKernel kernel = new AttentionKernel(shape, AttentionOperands.of(op, in));
            long output = in.output();
            long lse = in.resultIfStored(1);
            long workspace = in.workspace();
            return frame -> kernel.run(frame.pool(), frame.arena(), output, lse, workspace);
        });
    }

    /** Bytes of workspace for a pool of {@code slots} threads. */
    private static long workspaceBytes(AttentionShape shape, int slots) {
        return WorkerPool.shares(slots, shape.blocks()) * shape.slotBytes();
    }

    /** Writes the result [batch, heads, queries, width] and, if wanted, the log-sum-exp of the scores. */
    private void run(WorkerPool pool, MemorySegment arena, long output, long lse, long workspace) {
        int blocks = shape.rowBlocks();
        pool.run(shape.blocks(), (task, scratch) -> {
            int block = task % blocks;
            int head = task / blocks;
            new Block(arena, scratch, head, block * AttentionShape.TILE_ROWS)
                    .run(output, lse, workspace + pool.share(shape.blocks(), task, scratch) * shape.slotBytes());
        });
    }

    private final class Block {
        private final MemorySegment arena;
        private final Scratch scratch;
        private final int flatHead;
        private final int first;
        private final int rows;
        private final double[] max = new double[AttentionShape.TILE_ROWS];
        private final double[] sum = new double[AttentionShape.TILE_ROWS];
        private final double[] sumOfTile = new double[AttentionShape.TILE_ROWS];
        private final double[] correction = new double[AttentionShape.TILE_ROWS];

        Block(MemorySegment arena, Scratch scratch, int flatHead, int first) {
            this.arena = arena;
            this.scratch = scratch;
            this.flatHead = flatHead;
            this.first = first;
            this.rows = Math.min(AttentionShape.TILE_ROWS, shape.queries() - first);
        }

        void run(long output, long lse, long workspace) {
            int batch = flatHead / shape.heads();
            int head = flatHead % shape.heads();
            int keyHead = flatHead / shape.group();
            DType wide = shape.wide();
            int keys = shape.keysBefore(first + rows);
            int width = shape.width();
            long copyQ = workspace + shape.tileBytes();
            long copyK = copyQ + shape.headBytes(shape.tileRows(), shape.depth());
            long copyV = copyK + shape.headBytes(shape.keys(), shape.depth());
            long sums = copyV + shape.headBytes(shape.keys(), width);
            HeadMatrix queries = HeadMatrix.of(arena, in.q(), flatHead, first, rows, copyQ, scratch);
            HeadMatrix keyRows = HeadMatrix.of(arena, in.k(), keyHead, 0, keys, copyK, scratch);
            HeadMatrix values = HeadMatrix.of(arena, in.v(), keyHead, 0, keys, copyV, scratch);
            ScoreTile tile = new ScoreTile(shape, in, batch, head);
            Arrays.fill(max, Double.NEGATIVE_INFINITY);
            for (int column = 0; column < keys; column += AttentionShape.TILE_COLUMNS) {
                int columns = Math.min(AttentionShape.TILE_COLUMNS, keys - column);
                MatrixRef scores = MatrixRef.dense(workspace, rows, columns);
                MatrixRef someKeys = keyRows.rows(column, columns).transpose();
                scratch.products.multiply(wide, arena, queries.rows(0, rows), someKeys, 0, scores);
                weigh(tile, workspace, column, columns);
                if (column > 0) {
                    rescale(sums);
                }
                MatrixRef sum = MatrixRef.dense(sums, rows, width);
                scratch.products.multiply(wide, arena, scores, values.rows(column, columns), column > 0 ? 1 : 0, sum);
            }
            finish(output, lse, sums);
        }

        /** Turns a tile of scores into exp(score − largest so far), and takes note of sums and largest scores. */
        private void weigh(ScoreTile tile, long scores, int column, int columns) {
            DType wide = shape.wide();
            ScoreRows values = ScoreRows.of(wide, scratch);
            int rowsAtOnce = Scratch.CHUNK / columns;
            for (int row = 0; row < rows; row += rowsAtOnce) {
                int some = Math.min(rowsAtOnce, rows - row);
                long offset = scores + (long) row * columns * wide.bytes();
                values.load(arena, wide, offset, some * columns);
                tile.prepare(arena, values, first + row, some, column, columns);
                for (int i = 0; i < some; i++) {
                    double before = max[row + i];
                    double largest = values.max(i * columns, (i + 1) * columns, before);
                    max[row + i] = largest;
                    double shift = largest == Double.NEGATIVE_INFINITY ? 0 : largest;
                    correction[row + i] = before - shift;
                    values.subtract(i * columns, (i + 1) * columns, shift);
                }
                values.exponentials(some * columns);
                for (int i = 0; i < some; i++) {
                    if (max[row + i] == Double.NEGATIVE_INFINITY) {
                        values.fill(i * columns, (i + 1) * columns, 0);
                    }
                    sumOfTile[row + i] = values.sum(i * columns, (i + 1) * columns);
                }
                values.store(arena, wide, offset, some * columns);
            }
            values.exponentialsOf(correction, rows);
            for (int row = 0; row < rows; row++) {
                sum[row] = sum[row] * correction[row] + sumOfTile[row];
            }
        }

        private void rescale(long sums) {
            for (int row = 0; row < rows; row++) {
                if (correction[row] != 1) {
                    scaleRow(shape.wide(), sums, row, correction[row], shape.wide(), sums);
                }
            }
        }

        private void finish(long output, long lse, long sums) {
            DType wide = shape.wide();
            long position = (long) flatHead * shape.queries() + first;
            long to = output + position * shape.width() * shape.type().bytes();
            for (int row = 0; row < rows; row++) {
                boolean empty = sum[row] == 0;
                scaleRow(wide, sums, row, empty ? 0 : 1 / sum[row], shape.type(), to);
                if (lse != Elements.NONE) {
                    Elements.set(
                            arena,
                            wide,
                            lse + (position + row) * wide.bytes(),
                            empty ? Double.NEGATIVE_INFINITY : max[row] + StrictMath.log(sum[row]));
                }
            }
        }

        private void scaleRow(DType fromType, long from, int row, double factor, DType toType, long to) {
            int width = shape.width();
            ScoreRows values = ScoreRows.of(shape.wide(), scratch);
            for (int at = 0; at < width; at += Scratch.CHUNK) {
                int n = Math.min(Scratch.CHUNK, width - at);
                long element = (long) row * width + at;
                values.load(arena, fromType, from + element * fromType.bytes(), n);
                values.scale(factor, n);
                values.store(arena, toType, to + element * toType.bytes(), n);
            }
        }
    }
}
