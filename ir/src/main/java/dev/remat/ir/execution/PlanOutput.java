package dev.remat.ir.execution;

import dev.remat.ir.TensorType;

/**
 * A tensor that can be read from the arena when the step is over.
 *
 * @param readyAfter index of the step that computes it; -1 for a tensor that was there from the start
 */
public record PlanOutput(String name, int value, TensorType type, long offset, int readyAfter) {}
