package dev.remat.runtime.cpu.attention;

import dev.remat.ir.Alignment;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import dev.remat.runtime.cpu.support.Shapes;
import java.util.List;

/**
 * Queries [batch, heads, queries, depth], keys [batch, keyHeads, keys, depth], values [batch, keyHeads, keys, width].
 *
 * @param keyHeads divides {@code heads}: neighbouring heads of queries share one
 * @param causal whether a query attends to no later position than its own
 */
public record AttentionShape(
        DType type,
        int batch,
        int heads,
        int keyHeads,
        int queries,
        int keys,
        int depth,
        int width,
        double scale,
        boolean causal) {
    /** Queries of one tile of scores. */
    static final int TILE_ROWS = 64;
    /** Keys of one tile of scores. */
    static final int TILE_COLUMNS = 128;

    /** @param inputs queries, keys and values, and what else attention reads */
    static AttentionShape of(Attention op, List<TensorType> inputs) {
        int[] queries = Shapes.dims(inputs.get(0));
        int[] keys = Shapes.dims(inputs.get(1));
        return new AttentionShape(
                inputs.getFirst().dtype(),
                queries[0],
                queries[1],
                keys[1],
                queries[2],
                keys[2],
                queries[3],
                Shapes.extent(inputs.get(2), 3),
                op.scale(),
                op.causal());
    }

    DType wide() {
        return type.accumulator();
    }

    /** Heads of queries that share one of keys and values. */
    int group() {
        return heads / keyHeads;
    }

    /** Blocks of queries of one head. */
    int rowBlocks() {
        return Math.ceilDiv(queries, TILE_ROWS);
    }

    /** Blocks of queries over all heads. */
    int blocks() {
        return batch * heads * rowBlocks();
    }

    int tileRows() {
        return Math.min(TILE_ROWS, queries);
    }

    int tileColumns() {
        return Math.min(TILE_COLUMNS, keys);
    }

    /** How many keys the queries up to and without {@code end} attend to. */
    int keysBefore(int end) {
        return causal ? Math.min(keys, end) : keys;
    }

    private static long aligned(long bytes) {
        return Alignment.up(bytes, Alignment.CACHE_LINE);
    }

    long tileBytes() {
        return aligned((long) tileRows() * tileColumns() * wide().bytes());
    }

    /** Bytes of a wide copy of one head's {@code rows} vectors. */
    long headBytes(int rows, int elements) {
        return aligned((long) rows * elements * wide().bytes());
    }

    /** Bytes of workspace of the forward pass for one thread. */
    long slotBytes() {
        return tileBytes()
                + headBytes(tileRows(), depth)
                + headBytes(keys, depth)
                + headBytes(keys, width)
                + headBytes(tileRows(), width);
    }

    /** Bytes of workspace of the gradient for one thread. */
    long gradientSlotBytes() {
        long sums = type == wide() ? 0 : headBytes(queries, depth) + headBytes(keys, depth) + headBytes(keys, width);
        return slopeBytes(queries) + sums;
    }

    /** Bytes that {@link HeadSlopes} of so many queries need. */
    long slopeBytes(int rows) {
        return 2 * tileBytes()
                + headBytes(rows, depth)
                + headBytes(keys, depth)
                + headBytes(keys, width)
                + 2 * headBytes(rows, width)
                + aligned(8L * rows);
    }
}
