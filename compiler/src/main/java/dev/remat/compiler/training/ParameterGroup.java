package dev.remat.compiler.training;

import java.util.List;

/** Parameters that one of the patterns matches are updated by {@code rule}. */
public record ParameterGroup(List<ParameterPattern> patterns, UpdateRule rule) {
    public ParameterGroup {
        patterns = List.copyOf(patterns);
    }

    boolean contains(String parameter) {
        return patterns.stream().anyMatch(pattern -> pattern.matches(parameter));
    }
}
