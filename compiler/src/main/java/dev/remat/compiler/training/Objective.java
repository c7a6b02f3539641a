package dev.remat.compiler.training;

import java.util.List;
import java.util.Optional;

/**
 * A loss, the parameters it trains and how.
 *
 * @param loss output of the forward graph
 * @param groups of parameters with a rule; of several that match one, the last counts
 * @param otherwise the rule of parameters in no group
 * @param clip bounds this loss's gradients together
 */
public record Objective(
        String loss,
        List<ParameterPattern> parameters,
        List<ParameterGroup> groups,
        UpdateRule otherwise,
        Optional<GradientClip> clip) {
    public Objective {
        parameters = List.copyOf(parameters);
        groups = List.copyOf(groups);
    }

    /** Whether {@code parameter} is trained by this loss, unless it is frozen. */
    public boolean trains(String parameter) {
        return parameters.stream().anyMatch(pattern -> pattern.matches(parameter));
    }

    /** How a parameter that it trains is updated. */
    public UpdateRule rule(String parameter) {
        return groups.reversed().stream()
                .filter(group -> group.contains(parameter))
                .findFirst()
                .map(ParameterGroup::rule)
                .orElse(otherwise);
    }
}
