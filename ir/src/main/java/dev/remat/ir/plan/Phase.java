package dev.remat.ir.plan;

import java.util.Locale;

/** Part of a training step that a node belongs to. */
public enum Phase {
    FORWARD,
    BACKWARD,
    /** Changes state and therefore runs exactly once a step: optimizer updates, running statistics, metrics. */
    UPDATE;

    /** As written in problem files: {@code forward}, {@code backward}, {@code update}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
