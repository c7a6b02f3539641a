package dev.remat.ir.graph;

import dev.remat.ir.diagnostic.Location;
import java.util.Optional;

/**
 * A block of a model whose memory the user decides.
 *
 * @param ordinal distinguishes the blocks of one model
 * @param segments number of segments to split the block into; 1 recomputes it as a whole
 * @param parent the block around this one
 */
public record Region(int ordinal, int segments, Location location, Optional<Region> parent) {
    public Region {
        if (segments < 1) {
            throw new IllegalArgumentException("a region has at least one segment: " + segments);
        }
    }
}
