package dev.remat.ir.graph;

import dev.remat.ir.diagnostic.Location;
import java.util.Optional;

/**
 * Where a node comes from.
 *
 * @param location the call in the model file
 * @param scope path of the layers around it, such as {@code block.3.attention}; empty at the top
 * @param region innermost {@code recompute} or {@code segments} block around it
 * @param chunks innermost {@code chunks} block around it
 * @param stages how many marks of stages stand in front of it
 */
public record Origin(
        Location location, String scope, Optional<Region> region, Optional<ChunkBlock> chunks, int stages) {
    public static final Origin NONE = new Origin(Location.NONE, "", Optional.empty());

    /** In no {@code chunks} block, and behind no mark. */
    public Origin(Location location, String scope, Optional<Region> region) {
        this(location, scope, region, Optional.empty(), 0);
    }

    /** The call alone, whatever is around it and in front of it. */
    public Origin call() {
        return new Origin(location, scope, Optional.empty());
    }
}
