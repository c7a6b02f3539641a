package dev.remat.compiler.batch;

import java.util.Locale;

/** In which order the gradients of a parameter that is read in several places are added up. */
public enum Sums {
    /** Those of a micro-batch first, then those of all micro-batches. */
    BY_MICRO_BATCH,
    /** Those of a place in the text first, of all micro-batches, then those of all places. */
    BY_USE;

    /** As models name it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
