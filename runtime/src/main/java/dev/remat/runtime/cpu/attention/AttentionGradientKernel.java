package dev.remat.runtime.cpu.attention;

import dev.remat.ir.DType;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.MatrixRef;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Widening;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * Gradients of {@link AttentionKernel} by queries, keys and values. The probabilities are computed again tile by tile
 * from the log-sum-exp; a task is a head of keys with all heads of queries that share it, so that sums over queries
 * and over keys have one order.
 */
public record AttentionGradientKernel(AttentionShape shape, SlopeOperands in) {

    public static CpuKernel of(AttentionGradient op, OpTypes types) {
        AttentionShape shape = AttentionShape.of(op.forward(), types.operands().subList(1, 4));
        return new CpuKernel(workspaceBytes(shape, WorkerPool.MOST_THREADS), in -> {
            AttentionGradientKernel kernel = new AttentionGradientKernel(shape, SlopeOperands.of(op, in));
            long dq = in.denseResult(0);
            long dk = in.denseResult(1);
            long dv = in.denseResult(2);
            long workspace = in.workspace();
            return frame -> kernel.run(frame.pool(), frame.arena(), dq, dk, dv, workspace);
        });
    }

    /** Bytes of workspace for a pool of {@code slots} threads. */
    private static long workspaceBytes(AttentionShape shape, int slots) {
        return WorkerPool.shares(slots, shape.batch() * shape.keyHeads()) * shape.gradientSlotBytes();
    }

    /** Writes dense gradients. */
    private void run(WorkerPool pool, MemorySegment arena, long dq, long dk, long dv, long workspace) {
        int heads = shape.batch() * shape.keyHeads();
        pool.run(
                heads,
                (head, scratch) -> new SharedHead(arena, scratch, head)
                        .run(dq, dk, dv, workspace + pool.share(heads, head, scratch) * shape.gradientSlotBytes()));
    }

    private final class SharedHead {
        private final MemorySegment arena;
        private final Scratch scratch;
        private final int keyHead;
        private final DType wide = shape.wide();

        /** @param keyHead counted over the whole batch */
        SharedHead(MemorySegment arena, Scratch scratch, int keyHead) {
            this.arena = arena;
            this.scratch = scratch;
            this.keyHead = keyHead;
        }

        void run(long dq, long dk, long dv, long workspace) {
            int queries = shape.queries();
            int keys = shape.keys();
            int depth = shape.depth();
            int width = shape.width();
            boolean direct = shape.type() == wide;
            int bytes = shape.type().bytes();
            long toK = dk + (long) keyHead * keys * depth * bytes;
            long toV = dv + (long) keyHead * keys * width * bytes;
            long copyQ = workspace + shape.slopeBytes(queries);
            long sumK = direct ? toK : copyQ + shape.headBytes(queries, depth);
            long sumV = direct ? toV : sumK + shape.headBytes(keys, depth);
            zero(sumK, (long) keys * depth);
            zero(sumV, (long) keys * width);
            for (int member = 0; member < shape.group(); member++) {
                int head = keyHead * shape.group() + member;
                long toQ = dq + (long) head * queries * depth * bytes;
                long sumQ = direct ? toQ : copyQ;
                zero(sumQ, (long) queries * depth);
                add(head, sumQ, sumK, sumV, workspace);
                if (!direct) {
                    Widening.narrow(arena, shape.type(), sumQ, toQ, queries * depth, scratch);
                }
            }
            if (!direct) {
                Widening.narrow(arena, shape.type(), sumK, toK, keys * depth, scratch);
                Widening.narrow(arena, shape.type(), sumV, toV, keys * width, scratch);
            }
        }

        private void zero(long offset, long elements) {
            arena.asSlice(offset, elements * wide.bytes()).fill((byte) 0);
        }

        /** Adds what one head of queries gives. */
        private void add(int head, long sumQ, long sumK, long sumV, long workspace) {
            int queries = shape.queries();
            int depth = shape.depth();
            int width = shape.width();
            HeadSlopes.Queries all = new HeadSlopes.Queries(0, queries);
            HeadSlopes slopes = new HeadSlopes(shape, in, arena, scratch, head, all, workspace);
            HeadMatrix qs = slopes.queries();
            HeadMatrix ks = slopes.keys();
            HeadMatrix gs = slopes.gradients();
            int bytes = wide.bytes();
            for (int row = 0; row < queries; row += AttentionShape.TILE_ROWS) {
                int rows = Math.min(AttentionShape.TILE_ROWS, queries - row);
                int attended = shape.keysBefore(row + rows);
                for (int column = 0; column < attended; column += AttentionShape.TILE_COLUMNS) {
                    int columns = Math.min(AttentionShape.TILE_COLUMNS, attended - column);
                    slopes.compute(row, rows, column, columns, shape.scale());
                    MatrixRef p = MatrixRef.dense(slopes.probabilities(), rows, columns);
                    MatrixRef d = MatrixRef.dense(slopes.slopes(), rows, columns);
                    MatrixRef toV = MatrixRef.dense(sumV + (long) column * width * bytes, columns, width);
                    MatrixRef toK = MatrixRef.dense(sumK + (long) column * depth * bytes, columns, depth);
                    MatrixRef toQ = MatrixRef.dense(sumQ + (long) row * depth * bytes, rows, depth);
                    scratch.products.multiply(wide, arena, p.transpose(), gs.rows(row, rows), 1, toV);
                    scratch.products.multiply(wide, arena, d.transpose(), qs.rows(row, rows), 1, toK);
                    scratch.products.multiply(wide, arena, d, ks.rows(column, columns), 1, toQ);
                }
            }
        }
    }
}
