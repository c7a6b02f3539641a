package dev.remat.compiler.training;

import java.util.List;

/**
 * Exponential moving averages of parameters, kept beside them for evaluation.
 *
 * @param parameters that are averaged if they are trained
 * @param warmup whether the decay rises to its value
 */
public record Average(double decay, boolean warmup, List<ParameterPattern> parameters) {
    public Average {
        parameters = List.copyOf(parameters);
    }

    boolean covers(String parameter) {
        return parameters.stream().anyMatch(pattern -> pattern.matches(parameter));
    }
}
