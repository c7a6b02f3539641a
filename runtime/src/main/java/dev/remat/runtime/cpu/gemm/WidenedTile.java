package dev.remat.runtime.cpu.gemm;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.MatrixRef;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Widening;
import java.lang.foreign.MemorySegment;

/** One tile of a 16-bit matrix product: operands widened to f32 piece by piece, summed in f32, rounded at the end. */
record WidenedTile(Gemm gemm, MemorySegment arena, Scratch scratch, long workspace) {
    static final int DEPTH = GemmTiling.RUN;

    /**
     * @param c byte of the tile's first element
     * @param goesOn whether sums begin with what is there, of f32
     */
    void run(long a, long b, long c, GemmTiling.Tile tile, boolean goesOn) {
        int most = Math.min(gemm.k(), DEPTH);
        long wideB = workspace + (long) tile.rows() * most * Float.BYTES;
        MatrixRef sums =
                MatrixRef.dense(wideB + (long) most * tile.columns() * Float.BYTES, tile.rows(), tile.columns());
        for (int i = 0; i < tile.rows() && goesOn; i++) {
            long there = c + (long) i * gemm.n() * gemm.result().bytes();
            Widening.widen(arena, gemm.result(), there, sums.at() + 4L * i * tile.columns(), tile.columns(), scratch);
        }
        for (int from = 0; from < gemm.k(); from += DEPTH) {
            int depth = Math.min(DEPTH, gemm.k() - from);
            MatrixRef left = widen(gemm.left(a, tile, from, depth), workspace);
            MatrixRef right = widen(gemm.right(b, tile, from, depth), wideB);
            scratch.products.multiply(DType.F32, arena, left, right, goesOn || from > 0 ? 1 : 0, sums);
        }
        for (int i = 0; i < tile.rows(); i++) {
            long wide = sums.at() + (long) i * tile.columns() * Float.BYTES;
            long to = c + (long) i * gemm.n() * gemm.result().bytes();
            Widening.narrow(arena, gemm.result(), wide, to, tile.columns(), scratch);
        }
    }

    private MatrixRef widen(MatrixRef stored, long to) {
        int count = stored.storedColumns();
        for (int i = 0; i < stored.storedRows(); i++) {
            long row = stored.at() + (long) i * stored.leading() * gemm.type().bytes();
            Widening.widen(arena, gemm.type(), row, to + (long) i * count * Float.BYTES, count, scratch);
        }
        return stored.packed(to);
    }
}
