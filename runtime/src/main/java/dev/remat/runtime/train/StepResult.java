package dev.remat.runtime.train;

import java.util.SequencedMap;

/**
 * What a training step reports.
 *
 * @param step from 1
 * @param loss before the step's update
 * @param outputs the model's other scalar outputs by name, in its order; before the update, too
 * @param millis wall time, data included
 * @param highWaterBytes end of the highest byte of the arena that kernels have received so far
 */
public record StepResult(
        long step, double loss, SequencedMap<String, Double> outputs, double millis, long highWaterBytes) {}
