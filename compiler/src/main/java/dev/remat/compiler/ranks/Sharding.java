package dev.remat.compiler.ranks;

import java.util.Locale;

/** What of the state of a training ranks hold in shares. */
public enum Sharding {
    /** Nothing: each rank holds all of it, and gathers sums to update it. */
    NONE,
    /** What optimizers keep: each rank updates its share, and gathers parameters. */
    OPTIMIZER;

    public boolean sharesOptimizer() {
        return this != NONE;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
