package dev.remat.runtime.train;

import java.util.SequencedMap;

/**
 * What a forward pass gave in numbers, or several in the mean.
 *
 * @param outputs the model's other scalar outputs by name, in its order
 */
public record Evaluation(double loss, SequencedMap<String, Double> outputs) {}
