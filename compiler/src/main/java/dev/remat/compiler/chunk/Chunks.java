package dev.remat.compiler.chunk;

import dev.remat.ir.graph.ChunkBlock;
import dev.remat.ir.graph.Origin;

/**
 * Into how many chunks of rows losses are cut.
 *
 * @param count for every loss that can be cut; 0 where the model alone says which are, 1 where none is
 */
public record Chunks(int count) {
    /** As the model says. */
    public static final Chunks AS_WRITTEN = new Chunks(0);

    /** None, whatever the model says. */
    public static final Chunks OFF = new Chunks(1);

    public Chunks {
        if (count < 0) {
            throw new IllegalArgumentException(count + " chunks");
        }
    }

    /** Whether it is for every loss, so that some may stay whole. */
    boolean isForAll() {
        return count > 0;
    }

    /** How many chunks a loss is cut into, by where it stands. */
    int of(Origin loss) {
        return isForAll() ? count : loss.chunks().map(ChunkBlock::count).orElse(1);
    }
}
