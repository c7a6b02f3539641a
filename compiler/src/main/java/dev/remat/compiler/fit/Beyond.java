package dev.remat.compiler.fit;

import dev.remat.compiler.StepFloor;

/** Why an extent larger than the answer is no answer. */
public sealed interface Beyond {
    /** Proven: no plan of the step that is one larger fits. */
    record Impossible(StepFloor floor) implements Beyond {}

    /** No plan of the step that is one larger was found to fit. */
    record NotFound(StepFloor floor, long smallestFoundBytes) implements Beyond {}

    /** The model cannot be built one larger. */
    record Invalid(String message) implements Beyond {}

    /** Larger extents were not asked for. */
    record NotAsked() implements Beyond {}
}
