package dev.remat.runtime.train;

/**
 * What a training step reports.
 *
 * @param step from 1
 * @param loss before the step's update
 * @param millis wall time, data included
 * @param highWaterBytes end of the highest byte of the arena that kernels have received so far
 */
public record StepResult(long step, double loss, double millis, long highWaterBytes) {}
