package dev.remat.ir.plan;

import java.util.Locale;

/** What the user asked of a node's results; every strategy obeys. */
public enum Pin {
    NONE,
    /** The node runs once, so its results stay in memory as long as anything reads them. */
    RETAIN,
    /**
     * The results of the first computation serve first computations of other forward nodes only; what the backward
     * needs of them is computed again. To recompute a region whose inputs may be retained, pin the nodes inside it and
     * leave those whose results other regions read.
     */
    RECOMPUTE,
    /**
     * The node runs once, and its results leave the device between the last forward node that reads them and the first
     * other one: that reads what has been fetched. Which of them must leave, {@code OffloadPins} says.
     */
    OFFLOAD;

    /** Whether the node runs once. */
    public boolean isKept() {
        return switch (this) {
            case RETAIN, OFFLOAD -> true;
            case NONE, RECOMPUTE -> false;
        };
    }

    /** As written in problem files: {@code none}, {@code retain}, {@code recompute}, {@code offload}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
