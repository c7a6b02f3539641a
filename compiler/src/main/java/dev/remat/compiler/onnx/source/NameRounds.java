package dev.remat.compiler.onnx.source;

import dev.remat.compiler.onnx.statement.Names;
import dev.remat.compiler.onnx.statement.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds runs of statements that repeat, where the file says of no layer which module it is in, and calls their layers
 * as modules with numbers are called, so that they can be a loop.
 */
final class NameRounds {
    private static final Pattern OWNER = Pattern.compile(" as \"?([\\w.]+)\"?");
    private static final int LEAST_LENGTH = 3;
    private static final int MOST_STATEMENTS = 12_000;
    private static final String MODULE = "block";

    private NameRounds() {}

    /**
     * New names of layers by the old ones; empty if nothing repeats.
     *
     * @param unnamed layers whose names say nothing
     */
    static SequencedMap<String, String> run(List<Statement> statements, SequencedSet<String> unnamed, Names names) {
        SequencedMap<String, String> renamed = new LinkedHashMap<>();
        find(statements, unnamed).ifPresent(run -> {
            String module = names.fresh(MODULE);
            SequencedMap<String, Integer> counts = new LinkedHashMap<>();
            for (int at = 0; at < run.length(); at++) {
                List<String> first = owners(statements.get(run.begin() + at), unnamed);
                for (int i = 0; i < first.size(); i++) {
                    String function = function(statements.get(run.begin() + at), first.get(i));
                    String label = function + counts.merge(function, 1, Integer::sum);
                    for (int round = 0; round < run.count(); round++) {
                        Statement other = statements.get(run.begin() + round * run.length() + at);
                        renamed.put(owners(other, unnamed).get(i), module + "." + round + "." + label);
                    }
                }
            }
        });
        return renamed;
    }

    /** Statements {@code begin} up to {@code begin + length}, so often. */
    private record Run(int begin, int length, int count) {
        int saved() {
            return (count - 1) * length;
        }
    }

    private static Optional<Run> find(List<Statement> statements, SequencedSet<String> unnamed) {
        int size = statements.size();
        if (size > MOST_STATEMENTS) {
            return Optional.empty();
        }
        SequencedMap<String, Integer> numbers = new LinkedHashMap<>();
        int[] kinds = new int[size];
        for (int i = 0; i < size; i++) {
            String kind = kind(statements.get(i), unnamed);
            numbers.putIfAbsent(kind, numbers.size());
            kinds[i] = statements.get(i).isBlock() ? -1 - i : numbers.get(kind);
        }
        Run best = new Run(0, 0, 1);
        for (int length = LEAST_LENGTH; length <= size / 2; length++) {
            int same = 0;
            for (int i = 0; i + length <= size; i++) {
                if (i + length < size && kinds[i] == kinds[i + length]) {
                    same++;
                    continue;
                }
                Run run = new Run(i - same, length, same / length + 1);
                if (run.saved() > best.saved() && owns(statements, run, unnamed)) {
                    best = run;
                }
                same = 0;
            }
        }
        return best.count() > 1 ? Optional.of(best) : Optional.empty();
    }

    private static boolean owns(List<Statement> statements, Run run, SequencedSet<String> unnamed) {
        return statements.subList(run.begin(), run.begin() + run.length()).stream()
                .anyMatch(statement -> !owners(statement, unnamed).isEmpty());
    }

    private static List<String> owners(Statement statement, SequencedSet<String> unnamed) {
        List<String> owners = new ArrayList<>();
        Matcher owner = OWNER.matcher(statement.value().text());
        while (owner.find()) {
            if (unnamed.contains(owner.group(1))) {
                owners.add(owner.group(1));
            }
        }
        return owners;
    }

    /** A statement without what it reads, and without names of layers that say nothing. */
    private static String kind(Statement statement, SequencedSet<String> unnamed) {
        Statement bare = statement;
        for (String name : statement.value().reads()) {
            bare = bare.renamed(name, "_");
        }
        String text = bare.value().text();
        for (String owner : owners(statement, unnamed)) {
            text = text.replaceAll(" as \"?" + Pattern.quote(owner) + "\"?(?![\\w.])", " as _");
        }
        return statement.names().size() + text;
    }

    /** What a layer is: the function that is called under its name. */
    private static String function(Statement statement, String owner) {
        String text = statement.value().text();
        Matcher matcher = Pattern.compile(" as \"?" + Pattern.quote(owner) + "\"?(?![\\w.])")
                .matcher(text);
        int at = matcher.find() ? matcher.start() - 1 : 0;
        int depth = 0;
        for (; at >= 0; at--) {
            depth += text.charAt(at) == ')' ? 1 : text.charAt(at) == '(' ? -1 : 0;
            if (depth == 0) {
                break;
            }
        }
        Matcher name = Pattern.compile("(\\w+)$").matcher(text.substring(0, Math.max(at, 0)));
        return name.find() ? name.group(1) : "layer";
    }
}
