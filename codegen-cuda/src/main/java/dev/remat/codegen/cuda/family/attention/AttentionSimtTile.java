package dev.remat.codegen.cuda.family.attention;

import dev.remat.ir.DType;

/**
 * A block's share of attention without tensor cores: 16 x 16 threads.
 *
 * @param rows neighbours that a thread owns, queries or keys
 * @param groups of as many columns of results that a thread computes
 */
record AttentionSimtTile(int rows, int groups) {
    static final int THREADS = 256;
    private static final int SIDE = 16;

    /** The tile for results of so many columns. */
    static AttentionSimtTile of(DType type, long columns) {
        int rows = type == DType.F64 ? 2 : 4;
        return new AttentionSimtTile(rows, columns > (long) SIDE * rows ? 2 : 1);
    }

    String template() {
        return rows + ", " + groups;
    }

    String label(DType type) {
        return type.label() + "_w" + SIDE * rows * groups;
    }

    long rowTiles(long extent) {
        return Math.ceilDiv(extent, (long) SIDE * rows);
    }

    long columnTiles(long extent) {
        return Math.ceilDiv(extent, (long) SIDE * rows * groups);
    }
}
