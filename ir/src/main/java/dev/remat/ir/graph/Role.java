package dev.remat.ir.graph;

import java.util.Locale;

/** Which part of the training step a node belongs to. */
public enum Role {
    FORWARD,
    BACKWARD,
    /**
     * Changes state and therefore runs exactly once a step: optimizer updates, running statistics, metrics. Never
     * cloned.
     */
    UPDATE;

    /** As written in texts and problem files: {@code forward}, {@code backward}, {@code update}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
