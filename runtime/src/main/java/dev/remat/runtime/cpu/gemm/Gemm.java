package dev.remat.runtime.cpu.gemm;

import dev.remat.ir.Alignment;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.MatMul;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.MatrixRef;
import dev.remat.runtime.cpu.support.PartialSums;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * A batch of products of row-major matrices C = op(A) · op(B): op(A) is m×k, op(B) k×n, all stored densely. f32 and f64
 * are multiplied as they lie; the 16-bit floats are widened tile by tile, summed in f32, rounded once. Sums over rows
 * are added up in runs of {@link GemmTiling#RUN}, from the left, so that a chunk of the rows can go on from another.
 *
 * @param result dtype of C: {@code type}, or the one that sums are computed in
 * @param wholeRows rows of the product that this is a chunk of; 0 where it is whole
 */
public record Gemm(
        DType type, DType result, int batch, int m, int n, int k, boolean transA, boolean transB, long wholeRows) {
    private static final int WIDENED_DEPTH = WidenedTile.DEPTH;
    /** Inner elements of which factors in f32 still lie in caches together. */
    private static final int CACHED_DEPTH = 512;

    public Gemm(DType type, DType result, int batch, int m, int n, int k, boolean transA, boolean transB) {
        this(type, result, batch, m, n, k, transA, transB, 0);
    }

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
                op.transposeB(),
                op.wholeRows());
        boolean goesOn = types.operands().size() == 3;
        return new CpuKernel(gemm.workspaceBytes(WorkerPool.MOST_THREADS, goesOn), in -> {
            long left = in.dense(0);
            long right = in.dense(1);
            long sum = goesOn ? in.dense(2) : Elements.NONE;
            long to = in.output();
            long workspace = in.workspace();
            return frame -> gemm.run(frame.pool(), frame.arena(), left, right, sum, to, workspace);
        });
    }

    /**
     * Rows of which chunks of the whole product {@code op} hold a multiple, but for the last.
     *
     * @param types of the whole product
     */
    public static long rowsOfChunks(MatMul op, OpTypes types) {
        TensorType a = types.operand(0);
        boolean summed = op.sumsRows() && a.rank() == 2;
        if (!summed || a.dtype().accumulator() != a.dtype()) {
            return GemmTiling.RUN;
        }
        int k = Shapes.extent(a, -2);
        GemmTiling tiling = GemmTiling.of(
                1, Shapes.extent(a, -1), Shapes.extent(types.operand(1), -1), k, false, GemmTiling.Rows.INNER);
        return tiling.parts() == 1 ? GemmTiling.RUN : tiling.depth();
    }

    private boolean sixteenBit() {
        return type.accumulator() != type;
    }

    private GemmTiling tiling() {
        return wholeTiling().chunk(m, k);
    }

    private GemmTiling wholeTiling() {
        int whole = Math.toIntExact(wholeRows);
        boolean outer = rows() == GemmTiling.Rows.OUTER;
        return GemmTiling.of(
                batch, whole > 0 && outer ? whole : m, n, whole > 0 && !outer ? whole : k, sixteenBit(), rows());
    }

    private GemmTiling.Rows rows() {
        if (batch > 1) {
            return GemmTiling.Rows.NONE;
        }
        return !transA ? GemmTiling.Rows.OUTER : transB ? GemmTiling.Rows.NONE : GemmTiling.Rows.INNER;
    }

    /** Bytes of workspace for a pool of {@code slots} threads. */
    public long workspaceBytes(int slots) {
        return workspaceBytes(slots, false);
    }

    /** @param goesOn whether it adds to the sum of another chunk */
    private long workspaceBytes(int slots, boolean goesOn) {
        GemmTiling tiling = tiling();
        if (sixteenBit()) {
            return WorkerPool.shares(slots, tiling.tasks()) * widenedBytes(tiling);
        }
        return (long) (tiling.parts() - inPlace(goesOn)) * batch * m * n * type.bytes();
    }

    /** How many parts are summed up in C itself: one, unless parts are added to what is there. */
    private int inPlace(boolean goesOn) {
        return goesOn && wholeTiling().parts() > 1 ? 0 : 1;
    }

    private long widenedBytes(GemmTiling tiling) {
        long depth = Math.min(k, WIDENED_DEPTH);
        long floats = tiling.rows() * depth + depth * tiling.columns() + (long) tiling.rows() * tiling.columns();
        return Alignment.up(floats * Float.BYTES, Alignment.CACHE_LINE);
    }

    /** Offsets are bytes into the arena. */
    public void run(WorkerPool pool, MemorySegment arena, long a, long b, long c, long workspace) {
        run(pool, arena, a, b, Elements.NONE, c, workspace);
    }

    /**
     * The same that goes on from the sum of another chunk.
     *
     * @param sum where that lies, which may be where C goes; {@link Elements#NONE} where there is none
     */
    public void run(WorkerPool pool, MemorySegment arena, long a, long b, long sum, long c, long workspace) {
        // Sums of OpenBLAS, which multiplies f64, depend on the tile, and what is widened has room for small ones.
        GemmTiling tiling = type == DType.F32 ? tiling().coarser(pool.slots()) : tiling();
        long elements = (long) batch * m * n;
        boolean goesOn = sum != Elements.NONE;
        if (goesOn && sum != c) {
            MemorySegment.copy(arena, sum, arena, c, elements * result.bytes());
        }
        if (k == 0) {
            if (!goesOn) {
                arena.asSlice(c, elements * result.bytes()).fill((byte) 0);
            }
            return;
        }
        int inPlace = inPlace(goesOn);
        pool.run(tiling.tasks(), (task, scratch) -> {
            int part = task % tiling.parts();
            GemmTiling.Tile tile = tiling.tile(task / tiling.parts());
            long first = ((long) tile.item() * m + tile.row()) * n + tile.column();
            if (sixteenBit()) {
                long share = workspace + pool.share(tiling.tasks(), task, scratch) * widenedBytes(tiling);
                new WidenedTile(this, arena, scratch, share).run(a, b, c + first * result.bytes(), tile, goesOn);
                return;
            }
            boolean apart = part >= inPlace;
            long to = (apart ? workspace + (part - inPlace) * elements * type.bytes() : c) + first * type.bytes();
            MatrixRef sums = new MatrixRef(to, tile.rows(), tile.columns(), n);
            int end = Math.min((part + 1) * tiling.depth(), k);
            int run = run(tiling);
            int beta = goesOn && !apart ? 1 : 0;
            for (int from = part * tiling.depth(); from < end; from += run) {
                int depth = Math.min(run, end - from);
                scratch.products.multiply(
                        type, arena, left(a, tile, from, depth), right(b, tile, from, depth), beta, sums);
                beta = 1;
            }
        });
        int terms = tiling.parts() - inPlace;
        if (terms > 0) {
            long bytes = elements * type.bytes();
            new PartialSums(type, workspace, bytes, terms).addTo(pool, arena, c, elements);
        }
    }

    /** How many inner elements are multiplied at once. */
    private int run(GemmTiling tiling) {
        if (rows() == GemmTiling.Rows.INNER) {
            return GemmTiling.RUN;
        }
        return type == DType.F64 ? tiling.depth() : Math.min(CACHED_DEPTH, tiling.depth());
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
