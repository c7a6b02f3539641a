package dev.remat.ir.graph;

/** What a value is to training, as who makes it says. Passes carry it to what takes the value's place. */
public enum Mark {
    /** The gradient of a parameter, or a part of the sum that it is. */
    GRADIENT,
    /** State that belongs to an optimizer. */
    OPTIMIZER,
    /** What micro-batches combine to a statistic of the batch. */
    STATISTIC
}
