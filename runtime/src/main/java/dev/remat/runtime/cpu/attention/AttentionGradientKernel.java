package dev.remat.runtime.cpu.attention;

import dev.remat.ir.Alignment;
import dev.remat.ir.DType;
import dev.remat.runtime.cpu.row.LogSumExp;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.OpenBlas;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Sums;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.Widening;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Gradients of {@link AttentionKernel} by queries, keys and values. The probabilities are computed again tile by tile
 * from the log-sum-exp; a task is a whole head, so that sums over queries and over keys have one order.
 */
public record AttentionGradientKernel(
        AttentionShape shape,
        TensorView gradient,
        TensorView q,
        TensorView k,
        TensorView v,
        TensorView output,
        Optional<TensorView> mask) {

    /** Bytes of workspace for a pool of {@code slots} threads. */
    public static long workspaceBytes(AttentionShape shape, int slots) {
        return WorkerPool.shares(slots, shape.batch() * shape.heads()) * shape.gradientSlotBytes();
    }

    /** Writes dense gradients; {@code lse} is the forward pass's. */
    public void run(WorkerPool pool, MemorySegment arena, long lse, long dq, long dk, long dv, long workspace) {
        int heads = shape.batch() * shape.heads();
        pool.run(
                heads,
                (head, scratch) -> new Head(arena, scratch, head)
                        .run(
                                lse,
                                dq,
                                dk,
                                dv,
                                workspace + pool.share(heads, head, scratch) * shape.gradientSlotBytes()));
    }

    private final class Head {
        private final MemorySegment arena;
        private final Scratch scratch;
        private final int flatHead;
        private final DType wide = shape.wide();

        Head(MemorySegment arena, Scratch scratch, int flatHead) {
            this.arena = arena;
            this.scratch = scratch;
            this.flatHead = flatHead;
        }

        void run(long lse, long dq, long dk, long dv, long workspace) {
            int batch = flatHead / shape.heads();
            int head = flatHead % shape.heads();
            int queries = shape.queries();
            int keys = shape.keys();
            int depth = shape.depth();
            int width = shape.width();
            long scores = workspace;
            long slopes = scores + shape.tileBytes();
            long copyQ = slopes + shape.tileBytes();
            long copyK = copyQ + shape.headBytes(queries, depth);
            long copyV = copyK + shape.headBytes(keys, depth);
            long copyG = copyV + shape.headBytes(keys, width);
            long copyO = copyG + shape.headBytes(queries, width);
            long deltas = copyO + shape.headBytes(queries, width);
            long sumQ = deltas + Alignment.up(8L * queries, Alignment.CACHE_LINE);
            long sumK = sumQ + shape.headBytes(queries, depth);
            long sumV = sumK + shape.headBytes(keys, depth);
            HeadMatrix qs = HeadMatrix.of(arena, q, batch, head, 0, queries, copyQ, scratch);
            HeadMatrix ks = HeadMatrix.of(arena, k, batch, head, 0, keys, copyK, scratch);
            HeadMatrix vs = HeadMatrix.of(arena, v, batch, head, 0, keys, copyV, scratch);
            HeadMatrix gs = HeadMatrix.of(arena, gradient, batch, head, 0, queries, copyG, scratch);
            HeadMatrix os = HeadMatrix.of(arena, output, batch, head, 0, queries, copyO, scratch);
            boolean direct = shape.type() == wide;
            if (direct) {
                sumQ = dq + (long) flatHead * queries * depth * wide.bytes();
                sumK = dk + (long) flatHead * keys * depth * wide.bytes();
                sumV = dv + (long) flatHead * keys * width * wide.bytes();
            }
            zero(sumQ, (long) queries * depth);
            zero(sumK, (long) keys * depth);
            zero(sumV, (long) keys * width);
            computeDeltas(gs, os, deltas);
            ScoreTile tile = new ScoreTile(shape, mask, batch, head);
            long base = arena.address();
            int bytes = wide.bytes();
            for (int row = 0; row < queries; row += AttentionShape.TILE_ROWS) {
                int rows = Math.min(AttentionShape.TILE_ROWS, queries - row);
                int attended = shape.keysBefore(row + rows);
                for (int column = 0; column < attended; column += AttentionShape.TILE_COLUMNS) {
                    int columns = Math.min(AttentionShape.TILE_COLUMNS, attended - column);
                    OpenBlas.multiply(
                            wide,
                            base,
                            false,
                            true,
                            rows,
                            columns,
                            depth,
                            qs.row(row),
                            qs.rowStride(),
                            ks.row(column),
                            ks.rowStride(),
                            0,
                            scores,
                            columns);
                    OpenBlas.multiply(
                            wide,
                            base,
                            false,
                            true,
                            rows,
                            columns,
                            width,
                            gs.row(row),
                            gs.rowStride(),
                            vs.row(column),
                            vs.rowStride(),
                            0,
                            slopes,
                            columns);
                    differentiate(tile, lse, deltas, scores, slopes, row, rows, column, columns);
                    OpenBlas.multiply(
                            wide,
                            base,
                            true,
                            false,
                            columns,
                            width,
                            rows,
                            scores,
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
                            slopes,
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
                            slopes,
                            columns,
                            ks.row(column),
                            ks.rowStride(),
                            1,
                            sumQ + (long) row * depth * bytes,
                            depth);
                }
            }
            if (!direct) {
                int small = shape.type().bytes();
                Widening.narrow(
                        arena,
                        shape.type(),
                        sumQ,
                        dq + (long) flatHead * queries * depth * small,
                        queries * depth,
                        scratch);
                Widening.narrow(
                        arena, shape.type(), sumK, dk + (long) flatHead * keys * depth * small, keys * depth, scratch);
                Widening.narrow(
                        arena, shape.type(), sumV, dv + (long) flatHead * keys * width * small, keys * width, scratch);
            }
        }

        private void zero(long offset, long elements) {
            arena.asSlice(offset, elements * wide.bytes()).fill((byte) 0);
        }

        /** Σ gradient · output of each query. */
        private void computeDeltas(HeadMatrix gradients, HeadMatrix outputs, long deltas) {
            double[] g = scratch.doubles2;
            double[] o = scratch.doubles3;
            for (int row = 0; row < shape.queries(); row++) {
                double delta = 0;
                for (int at = 0; at < shape.width(); at += Scratch.CHUNK) {
                    int n = Math.min(Scratch.CHUNK, shape.width() - at);
                    Elements.load(arena, wide, gradients.row(row) + (long) at * wide.bytes(), g, 0, n, scratch);
                    Elements.load(arena, wide, outputs.row(row) + (long) at * wide.bytes(), o, 0, n, scratch);
                    for (int i = 0; i < n; i++) {
                        g[i] *= o[i];
                    }
                    delta += Sums.of(g, 0, n);
                }
                Elements.set(arena, DType.F64, deltas + 8L * row, delta);
            }
        }

        /** Scores become probabilities p, and slopes dp become p·(dp − delta)·scale. */
        private void differentiate(
                ScoreTile tile,
                long lse,
                long deltas,
                long scores,
                long slopes,
                int firstRow,
                int rows,
                int column,
                int columns) {
            double[] p = scratch.doubles2;
            double[] d = scratch.doubles3;
            int rowsAtOnce = Scratch.CHUNK / columns;
            for (int row = 0; row < rows; row += rowsAtOnce) {
                int some = Math.min(rowsAtOnce, rows - row);
                int n = some * columns;
                long offset = (long) row * columns * wide.bytes();
                Elements.load(arena, wide, scores + offset, p, 0, n, scratch);
                Elements.load(arena, wide, slopes + offset, d, 0, n, scratch);
                tile.prepare(arena, p, firstRow + row, some, column, columns);
                for (int i = 0; i < some; i++) {
                    int query = firstRow + row + i;
                    double norm =
                            Elements.get(arena, wide, lse + ((long) flatHead * shape.queries() + query) * wide.bytes());
                    double shift = norm == Double.NEGATIVE_INFINITY ? Double.POSITIVE_INFINITY : norm;
                    for (int j = i * columns; j < (i + 1) * columns; j++) {
                        p[j] -= shift;
                    }
                }
                LogSumExp.exponentials(p, n, 0, wide, scratch);
                for (int i = 0; i < some; i++) {
                    double delta = Elements.get(arena, DType.F64, deltas + 8L * (firstRow + row + i));
                    for (int j = i * columns; j < (i + 1) * columns; j++) {
                        d[j] = p[j] * (d[j] - delta) * shape.scale();
                    }
                }
                Elements.store(arena, wide, scores + offset, p, 0, n, scratch);
                Elements.store(arena, wide, slopes + offset, d, 0, n, scratch);
            }
        }
    }
}
