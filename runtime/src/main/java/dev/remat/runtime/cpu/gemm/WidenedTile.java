package dev.remat.runtime.cpu.gemm;

import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.OpenBlas;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Widening;
import java.lang.foreign.MemorySegment;

/** One tile of a 16-bit matrix product: operands widened to f32 piece by piece, summed in f32, rounded at the end. */
record WidenedTile(Gemm gemm, MemorySegment arena, Scratch scratch, long workspace) {
    static final int DEPTH = 256;

    void run(long a, long b, long bias, long c, int item, int row, int column, int rows, int columns) {
        int most = Math.min(gemm.k(), DEPTH);
        long wideA = workspace;
        long wideB = wideA + (long) rows * most * Float.BYTES;
        long wideC = wideB + (long) most * columns * Float.BYTES;
        int bytes = gemm.type().bytes();
        for (int i = 0; bias != Elements.NONE && i < rows; i++) {
            widen(bias + (long) column * bytes, columns, wideC + (long) i * columns * Float.BYTES);
        }
        for (int from = 0; from < gemm.k(); from += DEPTH) {
            int depth = Math.min(DEPTH, gemm.k() - from);
            int rowsA = gemm.transA() ? depth : rows;
            int columnsA = gemm.transA() ? rows : depth;
            for (int i = 0; i < rowsA; i++) {
                long stored = gemm.offsetA(a, item, row, from) + (long) i * gemm.lda() * bytes;
                widen(stored, columnsA, wideA + (long) i * columnsA * Float.BYTES);
            }
            int rowsB = gemm.transB() ? columns : depth;
            int columnsB = gemm.transB() ? depth : columns;
            for (int i = 0; i < rowsB; i++) {
                long stored = gemm.offsetB(b, item, from, column) + (long) i * gemm.ldb() * bytes;
                widen(stored, columnsB, wideB + (long) i * columnsB * Float.BYTES);
            }
            long base = arena.address();
            OpenBlas.sgemm(
                    gemm.transA(),
                    gemm.transB(),
                    rows,
                    columns,
                    depth,
                    base + wideA,
                    columnsA,
                    base + wideB,
                    columnsB,
                    from > 0 || bias != Elements.NONE ? 1 : 0,
                    base + wideC,
                    columns);
        }
        for (int i = 0; i < rows; i++) {
            long wide = wideC + (long) i * columns * Float.BYTES;
            long to = c + (long) i * gemm.ldc() * gemm.result().bytes();
            Widening.narrow(arena, gemm.result(), wide, to, columns, scratch);
        }
    }

    private void widen(long from, int count, long to) {
        Widening.widen(arena, gemm.type(), from, to, count, scratch);
    }
}
