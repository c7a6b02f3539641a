package dev.remat.compiler.elaborate;

import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * What {@code --set NAME=VALUE,…} says: extents of symbols and values of hyper-parameters, by name, as text.
 *
 * @param earlier what the model was trained with, as {@link dev.remat.compiler.builtin.Datum#text} has it: what counts
 *     where nothing is set, instead of a default; names that the model lacks are ignored
 */
public record Bindings(SequencedMap<String, String> values, SequencedMap<String, String> earlier) {
    /** The file name that locations of settings have. */
    public static final String FILE = "--set";

    public static final Bindings NONE = new Bindings(new LinkedHashMap<>(), new LinkedHashMap<>());

    public Bindings {
        values = new LinkedHashMap<>(values);
        earlier = new LinkedHashMap<>(earlier);
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
        return new Bindings(values, new LinkedHashMap<>());
    }

    private static ModelException error(String message) {
        return new ModelException(List.of(Diagnostic.error("E0205", new Location(FILE, 1, 1), message)));
    }

    /** With what the model was trained with. */
    public Bindings after(SequencedMap<String, String> training) {
        return new Bindings(values, training);
    }

    /** With one more value, or another one. */
    public Bindings with(String name, String value) {
        SequencedMap<String, String> more = new LinkedHashMap<>(values);
        more.put(name, value);
        return new Bindings(more, earlier);
    }

    /** Without a value for one name. */
    public Bindings without(String name) {
        SequencedMap<String, String> fewer = new LinkedHashMap<>(values);
        fewer.remove(name);
        SequencedMap<String, String> fewerEarlier = new LinkedHashMap<>(earlier);
        fewerEarlier.remove(name);
        return new Bindings(fewer, fewerEarlier);
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
