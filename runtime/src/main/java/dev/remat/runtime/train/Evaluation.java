package dev.remat.runtime.train;

import java.util.OptionalDouble;
import java.util.SequencedMap;

/**
 * What a forward pass gave in numbers, or several in the mean.
 *
 * @param loss of a model that has one
 * @param outputs the model's other scalar outputs by name, in its order
 */
public record Evaluation(OptionalDouble loss, SequencedMap<String, Double> outputs) {}
