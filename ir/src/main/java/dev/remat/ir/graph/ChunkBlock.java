package dev.remat.ir.graph;

import dev.remat.ir.diagnostic.Location;

/**
 * A block of a model whose losses are computed a chunk of rows at a time.
 *
 * @param count of the chunks, from 1
 */
public record ChunkBlock(int count, Location location) {
    public ChunkBlock {
        if (count < 1) {
            throw new IllegalArgumentException("a block has at least one chunk: " + count);
        }
    }
}
