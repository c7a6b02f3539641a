package dev.remat.compiler.fit;

import dev.remat.compiler.search.MemoryFloor;

/** Why an extent larger than the answer is no answer. */
public sealed interface NextExtent {
    /** Proven: no plan of the step that is one larger fits. */
    record Impossible(MemoryFloor floor) implements NextExtent {}

    /** No plan of the step that is one larger was found to fit. */
    record NotFound(MemoryFloor floor, long smallestFoundBytes) implements NextExtent {}

    /** The model cannot be built one larger. */
    record Invalid(String message) implements NextExtent {}

    /**
     * Larger extents were not asked for.
     *
     * @param late because time was up
     */
    record NotAsked(boolean late) implements NextExtent {}
}
