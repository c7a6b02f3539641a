package dev.remat.codegen.cuda.family.attention;

import dev.remat.ir.DType;

/**
 * A block's share of attention on tensor cores.
 *
 * @param warps of a block
 * @param perWarp sixteens of rows that a warp owns
 * @param others rows of the other operand that are in shared memory at once
 * @param depth of queries, filled up
 * @param width of values, filled up
 */
record AttentionTensorTile(int warps, int perWarp, int others, int depth, int width) {
    /** Elements between neighbouring rows in shared memory that nothing uses. */
    private static final int PADDING = 8;

    private static final int ELEMENT_BYTES = 2;

    static boolean computesForward(AttentionShape shape) {
        return isHalf(shape.type()) && Math.max(shape.depth(), shape.width()) <= 256;
    }

    static boolean computesGradient(AttentionShape shape) {
        return isHalf(shape.type()) && Math.max(shape.depth(), shape.width()) <= 128;
    }

    private static boolean isHalf(DType type) {
        return type == DType.BF16 || type == DType.F16;
    }

    static AttentionTensorTile forward(AttentionShape shape) {
        int depth = filled(shape.depth());
        int width = filled(shape.width());
        int most = Math.max(depth, width);
        if (most <= 64) {
            return new AttentionTensorTile(4, 2, 64, depth, width);
        }
        return most <= 128
                ? new AttentionTensorTile(8, 1, 64, depth, width)
                : new AttentionTensorTile(4, 1, 32, depth, width);
    }

    /** As many rows a warp as registers have room for, with sums for each: two of them where it owns {@code keys}. */
    static AttentionTensorTile gradient(AttentionShape shape, boolean keys) {
        int depth = filled(shape.depth());
        int width = filled(shape.width());
        if (Math.max(depth, width) <= 64) {
            return new AttentionTensorTile(4, 2, 32, depth, width);
        }
        return keys ? new AttentionTensorTile(4, 1, 32, depth, width) : new AttentionTensorTile(2, 2, 32, depth, width);
    }

    private static int filled(long extent) {
        long unit = extent <= 128 ? 16 : 64;
        return Math.toIntExact(Math.ceilDiv(extent, unit) * unit);
    }

    int threads() {
        return 32 * warps;
    }

    int rows() {
        return 16 * perWarp * warps;
    }

    int forwardSharedBytes() {
        int own = rows() * (Math.max(depth, width) + PADDING);
        return ELEMENT_BYTES * (own + others * (depth + width + 2 * PADDING));
    }

    /** Own rows, two buffers of other rows, and beside each two floats a query. */
    int gradientSharedBytes() {
        int row = depth + width + 2 * PADDING;
        return ELEMENT_BYTES * row * (rows() + 2 * others) + 2 * 2 * others * Float.BYTES;
    }

    String template() {
        return warps + ", " + perWarp + ", " + others + ", " + depth + ", " + width;
    }

    String label(DType type) {
        return type.label() + "_" + depth + "x" + width;
    }
}
