package dev.remat.runtime.cpu.gemm;

import dev.remat.ir.Alignment;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.MatMul;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.MatrixRef;
import dev.remat.runtime.cpu.support.OpenBlas;
import dev.remat.runtime.cpu.support.PartialSums;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * A batch of products of row-major matrices C = op(A) · op(B): op(A) is m×k, op(B) k×n, all stored densely. f32 and f64
 * go to OpenBLAS as they are; the 16-bit floats are widened tile by tile, summed in f32, rounded once.
 *
 * @param result dtype of C: {@code type}, or the one that sums are computed in
 */
public record Gemm(DType type, DType result, int batch, int m, int n, int k, boolean transA, boolean transB) {
    private static final int WIDENED_DEPTH = WidenedTile.DEPTH;

    public Gemm {
        if (!type.isFloat()) {
            throw new IllegalArgumentException("no matrix product in " + type);
        }
        if (result != type && result != type.accumulator()) {
            throw new IllegalArgumentException("no sums of " + type + " in " + result);
        }
    }

    public static CpuKernel of(MatMul op, OpTypes types) {
        TensorType a = types.operand(0);
        TensorType c = types.result(0);
        int batch = Shapes.product(a, 0, a.rank() - 2);
        int rows = Shapes.extent(c, -2);
        boolean oneMatrix = types.operand(1).rank() < a.rank();
        Gemm gemm = new Gemm(
                a.dtype(),
                c.dtype(),
                oneMatrix ? 1 : batch,
                oneMatrix ? Math.multiplyExact(batch, rows) : rows,
                Shapes.extent(c, -1),
                Shapes.extent(a, op.transposeA() ? -2 : -1),
                op.transposeA(),
                op.transposeB());
        return new CpuKernel(gemm.workspaceBytes(WorkerPool.MOST_THREADS), in -> {
            long left = in.dense(0);
            long right = in.dense(1);
            long to = in.output();
            long workspace = in.workspace();
            return frame -> gemm.run(frame.pool(), frame.arena(), left, right, to, workspace);
        });
    }

    private boolean sixteenBit() {
        return type.accumulator() != type;
    }

    private GemmTiling tiling() {
        return GemmTiling.of(batch, m, n, k, sixteenBit());
    }

    /** Bytes of workspace for a pool of {@code slots} threads. */
    public long workspaceBytes(int slots) {
        GemmTiling tiling = tiling();
        if (sixteenBit()) {
            return WorkerPool.shares(slots, tiling.tasks()) * widenedBytes(tiling);
        }
        return (tiling.parts() - 1L) * batch * m * n * type.bytes();
    }

    private long widenedBytes(GemmTiling tiling) {
        long depth = Math.min(k, WIDENED_DEPTH);
        long floats = tiling.rows() * depth + depth * tiling.columns() + (long) tiling.rows() * tiling.columns();
        return Alignment.up(floats * Float.BYTES, Alignment.CACHE_LINE);
    }

    /** Offsets are bytes into the arena. */
    public void run(WorkerPool pool, MemorySegment arena, long a, long b, long c, long workspace) {
        GemmTiling tiling = tiling();
        long elements = (long) batch * m * n;
        if (k == 0) {
            arena.asSlice(c, elements * result.bytes()).fill((byte) 0);
            return;
        }
        pool.run(tiling.tasks(), (task, scratch) -> {
            int part = task % tiling.parts();
            GemmTiling.Tile tile = tiling.tile(task / tiling.parts());
            long first = ((long) tile.item() * m + tile.row()) * n + tile.column();
            if (sixteenBit()) {
                long share = workspace + pool.share(tiling.tasks(), task, scratch) * widenedBytes(tiling);
                new WidenedTile(this, arena, scratch, share).run(a, b, c + first * result.bytes(), tile);
                return;
            }
            long to = (part > 0 ? workspace + (part - 1) * elements * type.bytes() : c) + first * type.bytes();
            int from = part * tiling.depth();
            int depth = Math.min(tiling.depth(), k - from);
            if (depth > 0) {
                MatrixRef sums = new MatrixRef(to, tile.rows(), tile.columns(), n);
                OpenBlas.multiply(type, arena, left(a, tile, from, depth), right(b, tile, from, depth), 0, sums);
            }
        });
        if (tiling.parts() > 1) {
            long bytes = elements * type.bytes();
            new PartialSums(type, workspace, bytes, tiling.parts() - 1).addTo(pool, arena, c, elements);
        }
    }

    /** What a tile multiplies of A, from the inner element {@code from} on. */
    MatrixRef left(long a, GemmTiling.Tile tile, int from, int depth) {
        long matrix = a + (long) tile.item() * m * k * type.bytes();
        return transA
                ? new MatrixRef(matrix + ((long) from * m + tile.row()) * type.bytes(), depth, tile.rows(), m)
                        .transpose()
                : new MatrixRef(matrix + ((long) tile.row() * k + from) * type.bytes(), tile.rows(), depth, k);
    }

    /** What a tile multiplies of B. */
    MatrixRef right(long b, GemmTiling.Tile tile, int from, int depth) {
        long matrix = b + (long) tile.item() * k * n * type.bytes();
        return transB
                ? new MatrixRef(matrix + ((long) tile.column() * k + from) * type.bytes(), tile.columns(), depth, k)
                        .transpose()
                : new MatrixRef(matrix + ((long) from * n + tile.column()) * type.bytes(), depth, tile.columns(), n);
    }
}
