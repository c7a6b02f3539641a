package dev.remat.compiler.account;

import java.util.Locale;

/** What a plan does with a value. */
public enum State {
    /** In memory throughout: a parameter, a state, the batch. */
    RESIDENT,
    /** Lives below the arena, and comes for its readers and its update: a parameter, a state. */
    BELOW,
    /** Computed by the forward pass and kept until the rest of the step has read it. */
    KEPT,
    /** Computed by the forward pass, moved below the arena, and fetched for those that read it later. */
    MOVED,
    /** Computed more than once. */
    RECOMPUTED,
    /** Computed by the forward pass and let go before the backward, which needs nothing of it. */
    FREED,
    /** Left behind by the step. */
    OUTPUT,
    /** Computed by the backward pass and held until its last reader has run. */
    BACKWARD,
    /** Never in memory: computed and read inside one kernel. */
    FUSED,
    /** Lies in the storage of another value. */
    VIEW;

    /** As printed: {@code kept}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
