package dev.remat.cli.pretrained;

import dev.remat.ir.io.TextResource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A model with gaps. {@code ${width}} stands for a value, {@code #include lora} for another template, lines between
 * {@code #if drop}, {@code #else} and {@code #end} for themselves where that value is there. {@code {{linear(x, 64) as
 * query}}} is a call that may get an adapter, and a name after {@code as} is put in quotes where it needs them.
 */
final class Template {
    private static final Pattern GAP = Pattern.compile("\\$\\{(\\w+)}");
    private static final Pattern ADAPTABLE =
            Pattern.compile("\\{\\{\\w+\\((.+?), (.+?)((?:, bias = \\w+)?)\\) as (\\w+)}}");
    private static final Pattern NAMED = Pattern.compile(" as ([\\w.]+)");
    /** Words of the language, which are names in quotes alone. */
    private static final Set<String> WORDS = Set.of("output", "layer");

    private final Map<String, String> values;
    private final Set<String> adapted;

    private Template(Map<String, String> values, Set<String> adapted) {
        this.values = values;
        this.adapted = adapted;
    }

    /**
     * The text, not yet in canonical form.
     *
     * @param values of its gaps; an empty one counts as none for conditions
     * @param adapted last names of the calls that get adapters
     */
    static String fill(String name, Map<String, String> values, Set<String> adapted) {
        List<String> lines = new ArrayList<>();
        new Template(values, adapted).addTo(lines, name);
        return String.join("\n", lines) + "\n";
    }

    private void addTo(List<String> filled, String name) {
        Deque<Boolean> kept = new ArrayDeque<>();
        for (String line : read(name).lines().toList()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "#if" -> kept.push(!values.getOrDefault(words[1], "").isEmpty());
                case "#else" -> kept.push(!kept.pop());
                case "#end" -> kept.pop();
                default -> {
                    if (kept.contains(false)) {
                        continue;
                    }
                    if (words[0].equals("#include")) {
                        addTo(filled, words[1]);
                    } else {
                        filled.add(filled(line));
                    }
                }
            }
        }
    }

    private String filled(String line) {
        String text = GAP.matcher(line).replaceAll(gap -> Matcher.quoteReplacement(value(gap.group(1))));
        text = ADAPTABLE.matcher(text).replaceAll(this::adapted);
        return NAMED.matcher(text).replaceAll(name -> " as " + quoted(name.group(1)));
    }

    private String value(String gap) {
        String value = values.get(gap);
        if (value == null) {
            throw new IllegalStateException("a template has the gap " + gap + ", and nothing fills it");
        }
        return value;
    }

    private String adapted(MatchResult call) {
        String plain = call.group().substring(2, call.group().length() - 2).replace(", bias = true", "");
        String name = call.group(4);
        return adapted.contains(name)
                ? "(" + plain + " + Lora(" + call.group(1) + ", " + call.group(2) + ") as " + name + ".lora)"
                : plain;
    }

    private static String quoted(String name) {
        return name.contains(".") || WORDS.contains(name) || Character.isDigit(name.charAt(0))
                ? "\"" + name + "\""
                : name;
    }

    /** Last names of all calls in a text that may get adapters. */
    static Set<String> adaptable(String name) {
        Set<String> names = new TreeSet<>();
        ADAPTABLE.matcher(read(name)).results().forEach(call -> names.add(call.group(4)));
        return names;
    }

    private static String read(String name) {
        String file = name + ".template";
        return TextResource.read(Template.class.getResourceAsStream(file), file);
    }
}
