package dev.remat.runtime.cpu.attention;

import dev.remat.ir.DType;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.OpenBlas;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.Widening;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * Gradients of {@link AttentionKernel} by queries, keys and values. The probabilities are computed again tile by tile
 * from the log-sum-exp; a task is a head of keys with all heads of queries that share it, so that sums over queries
 * and over keys have one order.
 */
public record AttentionGradientKernel(
        AttentionShape shape, AttentionOperands in, TensorView gradient, TensorView output) {

    public static CpuKernel of(AttentionGradient op, OpTypes types) {
        AttentionShape shape = AttentionShape.of(op.forward(), types.operands().subList(1, 4));
        return new CpuKernel(workspaceBytes(shape, WorkerPool.MOST_THREADS), in -> {
            AttentionGradientKernel kernel =
                    new AttentionGradientKernel(shape, AttentionOperands.of(op, in), in.view(0), in.view(4));
            long lse = in.dense(5);
            long dq = in.denseResult(0);
            long dk = in.denseResult(1);
            long dv = in.denseResult(2);
            long workspace = in.workspace();
            return frame -> kernel.run(frame.pool(), frame.arena(), lse, dq, dk, dv, workspace);
        });
    }

    /** Bytes of workspace for a pool of {@code slots} threads. */
    private static long workspaceBytes(AttentionShape shape, int slots) {
        return WorkerPool.shares(slots, shape.batch() * shape.keyHeads()) * shape.gradientSlotBytes();
    }

    /** Writes dense gradients; {@code lse} is the forward pass's. */
    private void run(WorkerPool pool, MemorySegment arena, long lse, long dq, long dk, long dv, long workspace) {
        int heads = shape.batch() * shape.keyHeads();
        pool.run(
                heads,
                (head, scratch) -> new SharedHead(arena, scratch, head)
                        .run(
                                lse,
                                dq,
                                dk,
                                dv,
                                workspace + pool.share(heads, head, scratch) * shape.gradientSlotBytes()));
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

        void run(long lse, long dq, long dk, long dv, long workspace) {
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
                add(head, lse, sumQ, sumK, sumV, workspace);
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
        private void add(int head, long lse, long sumQ, long sumK, long sumV, long workspace) {
            int queries = shape.queries();
            int depth = shape.depth();
            int width = shape.width();
            HeadSlopes slopes =
                    new HeadSlopes(shape, in, gradient, output, arena, scratch, head, 0, queries, lse, workspace);
            HeadMatrix qs = slopes.queries();
            HeadMatrix ks = slopes.keys();
            HeadMatrix gs = slopes.gradients();
            long base = arena.address();
            int bytes = wide.bytes();
            for (int row = 0; row < queries; row += AttentionShape.TILE_ROWS) {
                int rows = Math.min(AttentionShape.TILE_ROWS, queries - row);
                int attended = shape.keysBefore(row + rows);
                for (int column = 0; column < attended; column += AttentionShape.TILE_COLUMNS) {
                    int columns = Math.min(AttentionShape.TILE_COLUMNS, attended - column);
                    slopes.compute(row, rows, column, columns, shape.scale());
                    OpenBlas.multiply(
                            wide,
                            base,
                            true,
                            false,
                            columns,
                            width,
                            rows,
                            slopes.probabilities(),
                            columns,
                            gs.row(row),
                            gs.rowStride(),
                            1,
                            sumV + (long) column * width * bytes,
                            width);
                    OpenBlas.multiply(
                            wide,
                            base,
                            true,
                            false,
                            columns,
                            depth,
                            rows,
                            slopes.slopes(),
                            columns,
                            qs.row(row),
                            qs.rowStride(),
                            1,
                            sumK + (long) column * depth * bytes,
                            depth);
                    OpenBlas.multiply(
                            wide,
                            base,
                            false,
                            false,
                            rows,
                            depth,
                            columns,
                            slopes.slopes(),
                            columns,
                            ks.row(column),
                            ks.rowStride(),
                            1,
                            sumQ + (long) row * depth * bytes,
                            depth);
                }
            }
        }
    }
}
