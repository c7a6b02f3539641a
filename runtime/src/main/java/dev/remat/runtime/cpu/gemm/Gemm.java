package dev.remat.runtime.cpu.gemm;

import dev.remat.ir.Alignment;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.MatMul;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.OpenBlas;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.Sums;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * A batch of row-major matrix products C = op(A) · op(B), plus a row of biases where asked: op(A) is m×k, op(B) k×n.
 * f32 and f64 go to OpenBLAS as they are; the 16-bit floats are widened tile by tile, summed in f32, rounded once.
 *
 * @param result dtype of C: {@code type}, or the one that sums are computed in
 * @param lda elements from one stored row of A to the next; likewise {@code ldb}, {@code ldc}
 * @param strideA elements from one matrix of the batch to the next, 0 where all share one; likewise the other two
 */
public record Gemm(
        DType type,
        DType result,
        int batch,
        int m,
        int n,
        int k,
        boolean transA,
        boolean transB,
        int lda,
        int ldb,
        int ldc,
        long strideA,
        long strideB,
        long strideC) {

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
        TensorType b = types.operand(1);
        TensorType c = types.result(0);
        int inner = Shapes.extent(a, op.transposeA() ? -2 : -1);
        int batch = Shapes.product(a, 0, a.rank() - 2);
        int rows = Shapes.extent(c, -2);
        boolean oneMatrix = b.rank() < a.rank();
        Gemm gemm = dense(
                        a.dtype(),
                        oneMatrix ? 1 : batch,
                        oneMatrix ? Math.multiplyExact(batch, rows) : rows,
                        Shapes.extent(c, -1),
                        inner,
                        op.transposeA() && !oneMatrix,
                        op.transposeB())
                .to(c.dtype());
        return new CpuKernel(gemm.workspaceBytes(WorkerPool.MOST_THREADS), in -> {
            long left = in.dense(0);
            long right = in.dense(1);
            long to = in.output();
            long workspace = in.workspace();
            return frame -> gemm.run(frame.pool(), frame.arena(), left, right, Elements.NONE, to, workspace);
        });
    }

    /** One product of densely stored matrices. */
    public static Gemm dense(DType type, int m, int n, int k, boolean transA, boolean transB) {
        return dense(type, 1, m, n, k, transA, transB);
    }

    /** A batch of products of densely stored matrices. */
    public static Gemm dense(DType type, int batch, int m, int n, int k, boolean transA, boolean transB) {
        return new Gemm(
                type,
                type,
                batch,
                m,
                n,
                k,
                transA,
                transB,
                transA ? m : k,
                transB ? k : n,
                n,
                (long) m * k,
                (long) k * n,
                (long) m * n);
    }

    /** The same with sums in {@code result}. */
    public Gemm to(DType other) {
        return new Gemm(type, other, batch, m, n, k, transA, transB, lda, ldb, ldc, strideA, strideB, strideC);
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

    /** Offsets are bytes into the arena; {@code bias} is a row of n elements or {@link Elements#NONE}. */
    public void run(WorkerPool pool, MemorySegment arena, long a, long b, long bias, long c, long workspace) {
        GemmTiling tiling = tiling();
        if (k == 0 && bias == Elements.NONE) {
            for (int i = 0; i < batch; i++) {
                for (int row = 0; row < m; row++) {
                    arena.asSlice(c + (i * strideC + (long) row * ldc) * result.bytes(), (long) n * result.bytes())
                            .fill((byte) 0);
                }
            }
            return;
        }
        pool.run(tiling.tasks(), (task, scratch) -> {
            int part = task % tiling.parts();
            int rest = task / tiling.parts();
            int column = rest % tiling.columnTiles() * tiling.columns();
            rest /= tiling.columnTiles();
            int row = rest % tiling.rowTiles() * tiling.rows();
            int item = rest / tiling.rowTiles();
            int rows = Math.min(tiling.rows(), m - row);
            int columns = Math.min(tiling.columns(), n - column);
            long to = c + (item * strideC + (long) row * ldc + column) * result.bytes();
            if (sixteenBit()) {
                int share = pool.share(tiling.tasks(), task, scratch);
                new WidenedTile(this, arena, scratch, workspace + share * widenedBytes(tiling))
                        .run(a, b, bias, to, item, row, column, rows, columns);
                return;
            }
            boolean biased = bias != Elements.NONE && part == 0;
            int toRow = ldc;
            if (part > 0) {
                to = workspace + (((part - 1L) * batch + item) * m * n + (long) row * n + column) * type.bytes();
                toRow = n;
            } else if (biased) {
                for (int i = 0; i < rows; i++) {
                    MemorySegment.copy(
                            arena,
                            bias + (long) column * type.bytes(),
                            arena,
                            to + (long) i * ldc * type.bytes(),
                            (long) columns * type.bytes());
                }
            }
            int from = part * tiling.depth();
            int depth = Math.min(tiling.depth(), k - from);
            if (depth > 0) {
                multiply(
                        arena.address(),
                        offsetA(a, item, row, from),
                        offsetB(b, item, from, column),
                        to,
                        toRow,
                        rows,
                        columns,
                        depth,
                        biased ? 1 : 0);
            }
        });
        if (tiling.parts() > 1) {
            addParts(pool, arena, tiling.parts(), c, workspace);
        }
    }

    long offsetA(long a, int item, int row, int inner) {
        return a + (item * strideA + (transA ? (long) inner * lda + row : (long) row * lda + inner)) * type.bytes();
    }

    long offsetB(long b, int item, int inner, int column) {
        return b
                + (item * strideB + (transB ? (long) column * ldb + inner : (long) inner * ldb + column))
                        * type.bytes();
    }

    private void multiply(long base, long a, long b, long c, int toRow, int rows, int columns, int depth, int beta) {
        if (type == DType.F64) {
            OpenBlas.dgemm(transA, transB, rows, columns, depth, base + a, lda, base + b, ldb, beta, base + c, toRow);
        } else {
            OpenBlas.sgemm(transA, transB, rows, columns, depth, base + a, lda, base + b, ldb, beta, base + c, toRow);
        }
    }

    /** Adds the sums over later parts of the inner dimension to the first, in order. */
    private void addParts(WorkerPool pool, MemorySegment arena, int parts, long c, long workspace) {
        long rows = (long) batch * m;
        int rowsPerTask = Math.max(1, 16 * Scratch.CHUNK / n);
        pool.run(Math.toIntExact(Math.ceilDiv(rows, (long) rowsPerTask)), (task, scratch) -> {
            long end = Math.min(rows, (task + 1L) * rowsPerTask);
            for (long row = (long) task * rowsPerTask; row < end; row++) {
                long to = c + (row / m * strideC + row % m * ldc) * type.bytes();
                for (int at = 0; at < n; at += Scratch.CHUNK) {
                    int count = Math.min(Scratch.CHUNK, n - at);
                    long offset = (long) at * type.bytes();
                    Sums.addInto(
                            arena,
                            type,
                            to + offset,
                            workspace + row * n * type.bytes() + offset,
                            rows * n * type.bytes(),
                            parts - 1,
                            count,
                            scratch);
                }
            }
        });
    }
}
