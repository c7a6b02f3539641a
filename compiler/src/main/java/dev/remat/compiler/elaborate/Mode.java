package dev.remat.compiler.elaborate;

/** What the graph is for. */
public enum Mode {
    TRAINING,
    /** No dropout, and running statistics in place of those of the batch. */
    EVALUATION
}
