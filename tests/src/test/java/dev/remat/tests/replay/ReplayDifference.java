package dev.remat.tests.replay;

import dev.remat.ir.diagnostic.Count;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Two lists of lines of {@link ReplayText}, compared in words: {@code 3 plans, 0 kernels, 0 headers changed}. */
final class ReplayDifference {
    private static final int MOST_SHOWN = 12;
    /** Parts that say which of two plans is better. */
    private static final Set<String> NUMBERS = Set.of("arena", "cost");

    private static final Pattern LINE = Pattern.compile("(plan|kernel|header) ");

    private final SequencedMap<String, String> before;
    private final SequencedMap<String, String> after;

    ReplayDifference(List<String> before, List<String> after) {
        this.before = byName(before);
        this.after = byName(after);
    }

    /** Of a part of what was compiled before: what is no longer there is not told, since plans name their kernels. */
    static ReplayDifference ofSome(List<String> before, List<String> after) {
        ReplayDifference difference = new ReplayDifference(before, after);
        difference.before.sequencedKeySet().retainAll(difference.after.keySet());
        return difference;
    }

    /** From what a line is about, {@code plan gpt cpu sqrt half}, to the rest of it. */
    private static SequencedMap<String, String> byName(List<String> lines) {
        SequencedMap<String, String> byName = new LinkedHashMap<>();
        for (String line : lines) {
            if (!LINE.matcher(line).lookingAt()) {
                throw new IllegalArgumentException("no line of a replay: " + line);
            }
            int split = line.contains(" arena=") ? line.indexOf(" arena=") : line.lastIndexOf(' ');
            if (byName.put(line.substring(0, split), line.substring(split + 1)) != null) {
                throw new IllegalArgumentException("twice: " + line);
            }
        }
        return byName;
    }

    boolean isEmpty() {
        return before.equals(after);
    }

    String words() {
        List<String> plans = changes("plan ");
        List<String> kernels = changes("kernel ");
        List<String> headers = changes("header ");
        List<String> lines = new ArrayList<>();
        lines.add(Count.of(plans.size(), "plan") + ", " + Count.of(kernels.size(), "kernel") + ", "
                + Count.of(headers.size(), "header") + " changed");
        for (List<String> kind : List.of(plans, kernels, headers)) {
            kind.stream().limit(MOST_SHOWN).forEach(change -> lines.add("  " + change));
            if (kind.size() > MOST_SHOWN) {
                lines.add("  and " + (kind.size() - MOST_SHOWN) + " more");
            }
        }
        return String.join("\n", lines);
    }

    private List<String> changes(String kind) {
        List<String> changes = new ArrayList<>();
        before.forEach((name, was) -> {
            if (name.startsWith(kind) && !was.equals(after.get(name))) {
                changes.add(name + ": " + (after.containsKey(name) ? change(was, after.get(name)) : "gone"));
            }
        });
        after.keySet().stream()
                .filter(name -> name.startsWith(kind) && !before.containsKey(name))
                .forEach(name -> changes.add(name + ": new"));
        return changes;
    }

    /** The parts of a line that changed: {@code arena from 640 to 512, cost from 70 to 75, plan}. */
    private static String change(String was, String is) {
        Map<String, String> parts = parts(was);
        Map<String, String> others = parts(is);
        if (!parts.keySet().equals(others.keySet())) {
            return "from " + was + " to " + is;
        }
        return parts.entrySet().stream()
                .filter(part -> !part.getValue().equals(others.get(part.getKey())))
                .map(part -> NUMBERS.contains(part.getKey())
                        ? part.getKey() + " from " + part.getValue() + " to " + others.get(part.getKey())
                        : part.getKey())
                .collect(Collectors.joining(", "));
    }

    /** {@code arena=640 plan=0a1b} as a map; a hash alone goes by the name {@code text}. */
    private static Map<String, String> parts(String line) {
        Map<String, String> parts = new LinkedHashMap<>();
        Arrays.stream(line.split(" ")).forEach(part -> {
            int split = part.indexOf('=');
            parts.put(split < 0 ? "text" : part.substring(0, split), part.substring(split + 1));
        });
        return parts;
    }
}
