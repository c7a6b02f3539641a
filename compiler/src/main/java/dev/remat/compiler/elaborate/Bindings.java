package dev.remat.compiler.elaborate;

import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * What {@code --set NAME=VALUE,…} says: extents of symbols and values of hyper-parameters, by name, as text.
 *
 * @param earlier what the model was trained with, as {@link dev.remat.compiler.builtin.Datum#text} has it: what counts
 *     where nothing is set, instead of a default; names that the model lacks are ignored
 * @param ofTraining extents that {@code train { … }} alone reads, of symbols that the graph leaves open
 */
public record Bindings(
        SequencedMap<String, String> values,
        SequencedMap<String, String> earlier,
        SequencedMap<String, String> ofTraining) {
    /** The file name that locations of settings have. */
    public static final String FILE = "--set";

    public static final Bindings NONE = of(new LinkedHashMap<>());

    public Bindings {
        values = new LinkedHashMap<>(values);
        earlier = new LinkedHashMap<>(earlier);
        ofTraining = new LinkedHashMap<>(ofTraining);
    }

    /** What is set by name, and nothing else. */
    public static Bindings of(SequencedMap<String, String> values) {
        return new Bindings(values, new LinkedHashMap<>(), new LinkedHashMap<>());
    }

    /**
     * Reads settings; a comma inside brackets belongs to a list. Later settings override earlier ones, as those at the
     * end of a command line do.
     *
     * @throws ModelException if one is not of the form {@code NAME=VALUE}, or sets a name twice (E0205)
     */
    public static Bindings parse(List<String> settings) {
        SequencedMap<String, String> values = new LinkedHashMap<>();
        for (String setting : settings) {
            SequencedMap<String, String> own = new LinkedHashMap<>();
            for (String part : split(setting)) {
                int equals = part.indexOf('=');
                String name = equals < 0 ? "" : part.substring(0, equals).strip();
                if (!name.matches("[A-Za-z_][A-Za-z_0-9]*")
                        || part.substring(equals + 1).isBlank()) {
                    throw error("'" + part + "' is not of the form NAME=VALUE");
                }
                String value = part.substring(equals + 1).strip();
                String other = own.putIfAbsent(name, value);
                if (other != null) {
                    throw error("'" + name + "' is set twice, to " + other + " and to " + value);
                }
            }
            values.putAll(own);
        }
        return of(values);
    }

    private static ModelException error(String message) {
        return new ModelException(List.of(Diagnostic.error("E0205", new Location(FILE, 1, 1), message)));
    }

    /** With what the model was trained with. */
    public Bindings after(SequencedMap<String, String> training) {
        return new Bindings(values, training, ofTraining);
    }

    /** What counts for a name: what was set, else what the model was trained with. */
    public Optional<String> find(String name) {
        return Optional.ofNullable(values.getOrDefault(name, earlier.get(name)));
    }

    /** With one more value, or another one. */
    public Bindings with(String name, String value) {
        SequencedMap<String, String> more = new LinkedHashMap<>(values);
        more.put(name, value);
        return new Bindings(more, earlier, ofTraining);
    }

    /** Without a value for one name. */
    public Bindings without(String name) {
        SequencedMap<String, String> fewer = new LinkedHashMap<>(values);
        fewer.remove(name);
        SequencedMap<String, String> fewerEarlier = new LinkedHashMap<>(earlier);
        fewerEarlier.remove(name);
        return new Bindings(fewer, fewerEarlier, ofTraining);
    }

    /** With a symbol left open in the graph, while the training reads its extent, where it has one, as ever. */
    public Bindings leavingOpen(String symbol) {
        SequencedMap<String, String> more = new LinkedHashMap<>(ofTraining);
        find(symbol).ifPresent(extent -> more.put(symbol, extent));
        return new Bindings(without(symbol).values(), without(symbol).earlier(), more);
    }

    private static List<String> split(String setting) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i < setting.length(); i++) {
            char c = setting.charAt(i);
            depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
            if (c == ',' && depth == 0) {
                parts.add(setting.substring(start, i));
                start = i + 1;
            }
        }
        parts.add(setting.substring(start));
        return parts;
    }
}
