package dev.remat.cli.pretrained;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Few patterns for {@code freeze} that match all parameters but those that are trained. */
final class FreezePatterns {
    private FreezePatterns() {}

    /** As the setting lists them. */
    static String text(SequencedSet<String> parameters, Predicate<String> isTrained) {
        List<String> trained = parameters.stream().filter(isTrained).toList();
        Set<String> patterns = new LinkedHashSet<>();
        for (String name : parameters) {
            if (!isTrained.test(name) && patterns.stream().noneMatch(pattern -> matches(pattern, name))) {
                String wide = name.replaceFirst("\\..*\\.", ".*.");
                boolean isTooWide = trained.stream().anyMatch(other -> matches(wide, other));
                patterns.add(isTooWide ? name : wide);
            }
        }
        return patterns.stream().map(pattern -> "\"" + pattern + "\"").collect(Collectors.joining(", "));
    }

    /** As the language has it: {@code *} stands for any characters. */
    private static boolean matches(String pattern, String name) {
        return Pattern.compile(Pattern.quote(pattern).replace("*", "\\E.*\\Q"))
                .matcher(name)
                .matches();
    }
}
