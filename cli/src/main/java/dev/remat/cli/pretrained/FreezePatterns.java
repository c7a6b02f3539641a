package dev.remat.cli.pretrained;

import dev.remat.compiler.training.ParameterPattern;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Few patterns for {@code freeze} that match all parameters but those that are trained. */
final class FreezePatterns {
    private FreezePatterns() {}

    /** As the setting lists them. */
    static String text(SequencedSet<String> parameters, Predicate<String> isTrained) {
        List<String> trained = parameters.stream().filter(isTrained).toList();
        Set<String> patterns = new LinkedHashSet<>();
        for (String name : parameters) {
            if (!isTrained.test(name)
                    && patterns.stream().noneMatch(pattern -> new ParameterPattern(pattern).matches(name))) {
                String wide = name.replaceFirst("\\..*\\.", ".*.");
                boolean isTooWide = trained.stream().anyMatch(new ParameterPattern(wide)::matches);
                patterns.add(isTooWide ? name : wide);
            }
        }
        return patterns.stream().map(pattern -> "\"" + pattern + "\"").collect(Collectors.joining(", "));
    }
}
