package dev.remat.compiler.pipeline;

/** When a stage computes again what it needs of a forward visit. */
public enum Repeats {
    NEVER,
    /** Once the gradient has arrived. */
    LATE,
    /** While it may still be on its way. */
    EARLY
}
