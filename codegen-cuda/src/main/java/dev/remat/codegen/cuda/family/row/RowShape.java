package dev.remat.codegen.cuda.family.row;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;

/**
 * How rows are walked by blocks of {@link #THREADS} threads: a function of the type alone.
 *
 * @param width neighbours that are moved at once
 * @param packs of that width in a row
 * @param sharing neighbouring threads that share a row: 4, 32 or all
 */
public record RowShape(long rows, int width, long packs, int sharing) {
    public static final int THREADS = 256;

    /** Rows along the last axis that are streamed through. */
    static RowShape streamed(TensorType type) {
        long length = length(type);
        return of(type, length, 8 * width(type.dtype(), length));
    }

    /** Rows along the last axis that threads hold in registers, {@code values} each, where a block's threads can. */
    static RowShape held(TensorType type, int values) {
        return of(type, length(type), values);
    }

    /** Runs of {@code length} elements, of which a thread is to take {@code values} where the block suffices. */
    public static RowShape of(TensorType type, long length, int values) {
        int width = width(type.dtype(), length);
        long packs = length / width;
        int each = values / width;
        int sharing = packs <= 4L * each ? 4 : packs <= 32L * each ? 32 : THREADS;
        return new RowShape(type.elements() / length, width, packs, sharing);
    }

    private static long length(TensorType type) {
        return type.dim(type.rank() - 1).value();
    }

    private static int width(DType type, long length) {
        return (int) Math.min(16 / type.bytes(), Long.lowestOneBit(length));
    }

    /** Packs that each thread holds, enough for a row where the threads suffice. */
    public int items(int values) {
        return values / width;
    }

    /** Whether the threads that share a row can hold it, {@code values} each. */
    public boolean isHeld(int values) {
        return packs <= (long) sharing * items(values);
    }

    public long blocks() {
        int rowsPerBlock = THREADS / sharing;
        return Math.ceilDiv(rows, rowsPerBlock);
    }
}
