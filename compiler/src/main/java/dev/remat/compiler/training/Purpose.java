package dev.remat.compiler.training;

/** What a step is for, which decides what its graph is. */
public enum Purpose {
    /** Forward, backward and optimizer. */
    TRAIN,
    /** Forward and backward; gradients are outputs and parameters stay as they are. */
    GRADIENTS,
    /** Forward alone: no dropout, and running statistics in place of those of the batch. */
    EVALUATE
}
