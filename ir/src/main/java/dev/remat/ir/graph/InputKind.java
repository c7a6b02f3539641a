package dev.remat.ir.graph;

import java.util.Locale;

/** What a graph input stands for. */
public enum InputKind {
    /** A batch tensor, new at every step. */
    DATA,
    /** A trainable tensor. */
    PARAMETER,
    /** A tensor that lives as long as the parameters do: optimizer moments, running statistics. */
    STATE,
    /** The number of the step, an i64 scalar counting from 1. */
    STEP,
    /** What every random draw starts from, an i64 scalar. */
    SEED,
    /** The number of the micro-batch within the step, an i64 scalar counting from 0. */
    MICRO_BATCH,
    /** A tensor that micro-batches add to: defined by the first one of a step, and dead at its end. */
    ACCUMULATOR;

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the tensor is a number that belongs to the step and nobody's data. */
    public boolean isOfStep() {
        return this == STEP || this == SEED || this == MICRO_BATCH;
    }

    /** Whether the tensor keeps its storage from step to step. */
    public boolean isPersistent() {
        return this == PARAMETER || this == STATE;
    }

    /** Whether updates change the tensor in its place. */
    public boolean isUpdated() {
        return isPersistent() || this == ACCUMULATOR;
    }
}
