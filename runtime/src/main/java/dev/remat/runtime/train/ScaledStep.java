package dev.remat.runtime.train;

import java.util.OptionalDouble;

/**
 * How a step went whose losses are scaled.
 *
 * @param skipped whether the gradients of a loss were not finite, so that its updates did not happen
 * @param skippedSoFar updates of losses that did not happen since the run began or was resumed
 * @param scale of the next step; empty if it is always the same
 */
public record ScaledStep(boolean skipped, long skippedSoFar, OptionalDouble scale) {}
