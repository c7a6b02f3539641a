package dev.remat.compiler.training;

import java.util.Arrays;
import java.util.Locale;

/** What a step is for, which decides what its graph is. */
public enum Purpose {
    /** Forward, backward and optimizer. */
    TRAIN,
    /** Forward and backward; gradients are outputs and parameters stay as they are. */
    GRADIENTS,
    /** Forward alone: no dropout, and running statistics in place of those of the batch. */
    EVALUATE;

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if there is none */
    public static Purpose ofLabel(String label) {
        return Arrays.stream(values())
                .filter(purpose -> purpose.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown purpose '" + label + "'"));
    }
}
