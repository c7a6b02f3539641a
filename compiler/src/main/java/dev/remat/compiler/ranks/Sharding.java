package dev.remat.compiler.ranks;

import java.util.Locale;

/** What of the state of a training ranks hold in shares, each more than the one before. */
public enum Sharding {
    /** Nothing: each rank holds all of it, and gathers sums to update it. */
    NONE,
    /** What optimizers keep: each rank updates its share, and gathers parameters. */
    OPTIMIZER,
    /** Parameters, too: each round gathers them where it reads them. */
    PARAMETERS;

    public boolean sharesOptimizer() {
        return this != NONE;
    }

    public boolean sharesParameters() {
        return this == PARAMETERS;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
