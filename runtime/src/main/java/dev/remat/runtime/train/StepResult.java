package dev.remat.runtime.train;

import dev.remat.runtime.Moved;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * What a training step reports.
 *
 * @param step from 1
 * @param loss before the step's update
 * @param outputs the model's other scalar outputs by name, in its order; before the update, too
 * @param scaled how scaling the losses went, if they are
 * @param millis wall time, data included
 * @param moved out of the arena and back in this step
 * @param highWaterBytes end of the highest byte of the arena that kernels have received so far
 */
public record StepResult(
        long step,
        double loss,
        SequencedMap<String, Double> outputs,
        Optional<ScaledStep> scaled,
        double millis,
        Moved moved,
        long highWaterBytes) {
    /** Whether an update did not happen, because a gradient was not finite. */
    public boolean skipped() {
        return scaled.map(ScaledStep::skipped).orElse(false);
    }
}
