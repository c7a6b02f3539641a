package dev.remat.compiler.account;

import java.util.Locale;

/** What bytes of the arena are for. */
public enum Kind {
    PARAMETER("parameter"),
    OPTIMIZER("optimizer"),
    /** State that no optimizer owns: running statistics, and those that micro-batches add up. */
    STATISTICS("state"),
    /** The batch, and the numbers of step and micro-batch. */
    BATCH("data"),
    /** Gradients of parameters, complete or still adding up, and other sums over micro-batches. */
    GRADIENT("gradient"),
    /** What the forward pass keeps for the rest of the step. */
    RETAINED("activation"),
    /** What is computed again. */
    RECOMPUTED("activation"),
    /** What has come back from below the arena, parameters and states aside. */
    FETCHED("activation"),
    /** Everything else: what the forward needs for a while, and gradients of activations. */
    ACTIVATION("activation"),
    WORKSPACE("workspace");

    private final String purpose;

    Kind(String purpose) {
        this.purpose = purpose;
    }

    /** As printed: {@code parameter}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What it is for whatever a plan does with it: {@code activation}. */
    public String purpose() {
        return purpose;
    }

    /** Whether it is neither workspace nor of a parameter and its training. */
    boolean countsAsActivation() {
        return switch (this) {
            case STATISTICS, BATCH, RETAINED, RECOMPUTED, FETCHED, ACTIVATION -> true;
            case PARAMETER, OPTIMIZER, GRADIENT, WORKSPACE -> false;
        };
    }
}
