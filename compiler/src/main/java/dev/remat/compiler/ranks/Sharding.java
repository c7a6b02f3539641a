package dev.remat.compiler.ranks;

import java.util.Locale;

/** What of the state of a training ranks hold in shares, each more than the one before. */
public enum Sharding {
    /** Nothing: each rank holds all of it, and gathers sums to update it. */
    NONE,
    /** What optimizers keep: each rank updates its share, and gathers parameters. */
    OPTIMIZER,
    /**
     * Gradients, too. They are in shares wherever the optimizer's state is: what a rank computes of them dies in its
     * exchange, and it adds up its share alone. So this is the same plan.
     */
    GRADIENTS,
    /** Parameters, too: each round gathers them where it reads them. */
    PARAMETERS,
    /** Whatever makes the step fastest within its budget; what is prepared before that is known is all. */
    AUTO;

    public boolean sharesOptimizer() {
        return this != NONE;
    }

    public boolean sharesParameters() {
        return this == PARAMETERS || this == AUTO;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
