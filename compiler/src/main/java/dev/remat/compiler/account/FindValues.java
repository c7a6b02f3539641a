package dev.remat.compiler.account;

import dev.remat.compiler.forward.ForwardValues;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds values as users name them: by name, by the end of a name, or by the line of the model that makes them. */
public final class FindValues {
    private static final Pattern PLACE = Pattern.compile("(.+?):(\\d{1,9})(?::(\\d{1,9}))?");
    /** What the name of a recomputed tensor ends with. */
    private static final String AGAIN = "'";

    private final Graph graph;

    FindValues(Graph graph) {
        this.graph = graph;
    }

    /**
     * One value if the text is its name, else all whose names end with it after a dot; with {@code file:line} or
     * {@code file:line:column} all that are made there. Marks of recomputation at the end of a name are ignored.
     *
     * @param what names the text in messages, such as {@code VALUE}
     * @throws ModelException if there is none (E0201)
     */
    public List<ValueId> named(String text, String what) {
        Matcher place = PLACE.matcher(text);
        List<ValueId> found = place.matches() ? at(place) : byName(text);
        if (found.isEmpty() && place.matches()) {
            throw new ModelException(
                    List.of(Diagnostic.error("E0201", new Location(what, 1, 1), "nothing is computed at " + text)));
        }
        if (found.isEmpty()) {
            List<String> names = graph.values().stream().map(Value::name).toList();
            throw ForwardValues.unknown(text, candidates(text, names), what);
        }
        return found;
    }

    /** The one of exactly that name. */
    Optional<ValueId> called(String name) {
        return graph.values().stream()
                .filter(value -> value.name().equals(name))
                .map(Value::id)
                .findFirst();
    }

    private List<ValueId> byName(String text) {
        String name = text;
        while (name.endsWith(AGAIN)) {
            name = name.substring(0, name.length() - AGAIN.length());
        }
        String exact = name;
        List<ValueId> same = called(exact).stream().toList();
        return same.isEmpty() && !exact.isEmpty() ? all(value -> value.name().endsWith("." + exact)) : same;
    }

    private List<ValueId> at(Matcher place) {
        String file = place.group(1);
        int line = Integer.parseInt(place.group(2));
        int column = place.group(3) == null ? 0 : Integer.parseInt(place.group(3));
        return all(value -> {
            Location made = graph.location(value.id());
            boolean here = made.file().equals(file) || made.file().endsWith("/" + file);
            return here && made.line() == line && (column == 0 || made.column() == column);
        });
    }

    private List<ValueId> all(Predicate<Value> wanted) {
        return graph.values().stream().filter(wanted).map(Value::id).toList();
    }

    /** Whole names, and their ends of as many parts as the text has. */
    private static List<String> candidates(String text, List<String> names) {
        int parts = text.split("\\.", -1).length;
        List<String> candidates = new ArrayList<>(names);
        for (String name : names) {
            int from = name.length();
            for (int i = 0; i < parts && from > 0; i++) {
                from = name.lastIndexOf('.', from - 1);
            }
            if (from > 0) {
                candidates.add(name.substring(from + 1));
            }
        }
        return candidates;
    }
}
