package dev.remat.ir.graph;

import java.util.Locale;

/** Which part of the training step a node belongs to. */
public enum Role {
    FORWARD,
    BACKWARD,
    /** Has effects that must happen once: optimizer updates, running statistics. Never cloned. */
    UPDATE;

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
