package dev.remat.codegen.cuda.family;

import dev.remat.ir.TensorType;

/**
 * How rows along the last axis are walked by blocks of {@link #THREADS} threads: a function of the type alone.
 *
 * @param width neighbours that are moved at once
 * @param packs of that width in a row
 * @param sharing neighbouring threads that share a row: 4, 32 or all
 */
record RowShape(long rows, int width, long packs, int sharing) {
    static final int THREADS = 256;

    /** Rows that are streamed through. */
    static RowShape streamed(TensorType type) {
        return of(type, 8);
    }

    /** Rows that threads hold in registers, {@code values} each, where all threads of a block can. */
    static RowShape held(TensorType type, int values) {
        return of(type, values / width(type));
    }

    private static RowShape of(TensorType type, int packsPerThread) {
        long length = type.dim(type.rank() - 1).value();
        int width = width(type);
        long packs = length / width;
        int sharing = packs <= 4L * packsPerThread ? 4 : packs <= 32L * packsPerThread ? 32 : THREADS;
        return new RowShape(type.elements() / length, width, packs, sharing);
    }

    private static int width(TensorType type) {
        long length = type.dim(type.rank() - 1).value();
        return (int) Math.min(16 / type.dtype().bytes(), Long.lowestOneBit(length));
    }

    long blocks() {
        int rowsPerBlock = THREADS / sharing;
        return -Math.floorDiv(-rows, rowsPerBlock);
    }
}
