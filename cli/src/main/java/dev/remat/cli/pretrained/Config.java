package dev.remat.cli.pretrained;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.io.ReadableFile;
import dev.remat.ir.json.JsonText;
import dev.remat.ir.json.SyntaxProblem;
import dev.remat.runtime.io.CorruptFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;

/**
 * A {@code config.json}, read key by key. Whatever is wrong with a key is kept, so that {@link #finish} tells all of it
 * at once; a question about such a key has a harmless answer until then. A key of {@code null} counts as absent.
 */
public final class Config {
    private static final String NOT_UNDERSTOOD = "E0702";
    private static final String VALUE = "E0703";
    private static final long LARGEST_FILE = 1 << 24;

    private final Path file;
    private final SequencedMap<String, Entry> entries;
    private final Set<String> read = new TreeSet<>();
    private final List<Diagnostic> problems = new ArrayList<>();

    /** @param value a map, list, text, number or truth; null where the file says so */
    private record Entry(Object value, Location at) {}

    private Config(Path file, SequencedMap<String, Entry> entries) {
        this.file = file;
        this.entries = entries;
    }

    /** @throws CorruptFileException if it is no object of JSON */
    static Config read(Path file) throws IOException {
        ReadableFile.check(file);
        if (Files.size(file) > LARGEST_FILE) {
            throw new CorruptFileException(file, "too large for a configuration");
        }
        SequencedMap<String, Entry> entries = new LinkedHashMap<>();
        try (JsonParser json = JsonText.parser(JsonText.FACTORY, Files.readAllBytes(file))) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new CorruptFileException(file, "is no object of JSON");
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String key = json.currentName();
                JsonLocation at = json.currentTokenLocation();
                json.nextToken();
                entries.put(
                        key,
                        new Entry(
                                JsonText.value(json), new Location(file.toString(), at.getLineNr(), at.getColumnNr())));
            }
            if (json.nextToken() != null) {
                throw new CorruptFileException(file, "goes on after its closing brace");
            }
        } catch (JsonProcessingException e) {
            throw new CorruptFileException(file, "is not valid JSON: " + SyntaxProblem.of(e), e);
        }
        return new Config(file, entries);
    }

    public Path file() {
        return file;
    }

    /** What stands there; empty if nothing does. */
    Optional<Object> find(String key) {
        read.add(key);
        return Optional.ofNullable(entries.get(key)).map(Entry::value);
    }

    /** A number of things from 1, which must be there. */
    long size(String key) {
        OptionalLong found = findSize(key);
        if (found.isEmpty() && find(key).isEmpty()) {
            problems.add(Diagnostic.error(VALUE, at(key), "the key \"" + key + "\" is missing"));
        }
        return found.orElse(1);
    }

    /** The same, which may be absent. */
    OptionalLong findSize(String key) {
        Object value = find(key).orElse(null);
        if (value instanceof Integer size && size > 0) {
            return OptionalLong.of(size);
        }
        if (value != null) {
            wrong(key, "is " + shown(value) + ", not an integer from 1 to 2^31 - 1");
        }
        return OptionalLong.empty();
    }

    /** An integer from 0, such as the number of a token. */
    long index(String key, long otherwise) {
        Object value = find(key).orElse(otherwise);
        if (value instanceof Number number && number.equals(number.intValue()) && number.intValue() >= 0) {
            return number.intValue();
        }
        if (!value.equals(otherwise)) {
            wrong(key, "is " + shown(value) + ", not an integer from 0");
        }
        return otherwise;
    }

    /** A number above 0. */
    double positive(String key, double otherwise) {
        double number = number(key, otherwise);
        if (number > 0) {
            return number;
        }
        wrong(key, "is " + shown(number) + ", not above 0");
        return otherwise;
    }

    /** A number from 0 to below 1. */
    double rate(String key, double otherwise) {
        double number = number(key, otherwise);
        if (number >= 0 && number < 1) {
            return number;
        }
        wrong(key, "is " + shown(number) + ", not a rate from 0 to below 1");
        return otherwise;
    }

    private double number(String key, double otherwise) {
        Object value = find(key).orElse(otherwise);
        if (value instanceof Number number && Double.isFinite(number.doubleValue())) {
            return number.doubleValue();
        }
        wrong(key, "is " + shown(value) + ", not a number");
        return otherwise;
    }

    boolean flag(String key, boolean otherwise) {
        Object value = find(key).orElse(otherwise);
        if (value instanceof Boolean flag) {
            return flag;
        }
        wrong(key, "is " + shown(value) + ", not true or false");
        return otherwise;
    }

    /** One of these words. */
    String word(String key, String otherwise, Collection<String> known) {
        Object value = find(key).orElse(otherwise);
        if (value instanceof String word && known.contains(word)) {
            return word;
        }
        notUnderstood(key, "known are " + String.join(", ", known));
        return otherwise;
    }

    /** A key that may only say what goes without saying: absent, or one of these. */
    void only(String key, Object... allowed) {
        Optional<Object> value = find(key);
        if (value.isPresent() && !Arrays.asList(allowed).contains(value.get())) {
            notUnderstood(
                    key,
                    "understood is "
                            + String.join(
                                    " or ",
                                    Arrays.stream(allowed).map(Config::shown).toList()));
        }
    }

    /** Keys that change nothing that is computed. */
    void ignore(Collection<String> keys) {
        read.addAll(keys);
    }

    /** A value that changes the computation in a way that is not known here. */
    void notUnderstood(String key, String... notes) {
        problem(
                NOT_UNDERSTOOD,
                key,
                "\"" + key + "\" is " + shown(find(key).orElse(null))
                        + ", which changes what is computed in a way that is not understood",
                notes);
    }

    /** A value that cannot be. */
    void wrong(String key, String message) {
        problem(VALUE, key, "\"" + key + "\" " + message);
    }

    private void problem(String code, String key, String message, String... notes) {
        problems.add(Diagnostic.error(code, at(key), message, notes)
                .underlining(entries.containsKey(key) ? key.length() + 2 : 1));
    }

    private Location at(String key) {
        Entry entry = entries.get(key);
        return entry == null ? new Location(file.toString(), 1, 1) : entry.at();
    }

    private static String shown(Object value) {
        String text = value instanceof String word ? "\"" + word + "\"" : Objects.toString(value);
        return text.length() > 60 ? text.substring(0, 60) + "…" : text;
    }

    /**
     * Refuses what nobody has asked for, and all else that was found wrong.
     *
     * @throws ModelException if there is any (E0702, E0703)
     */
    void finish() {
        for (Map.Entry<String, Entry> entry : entries.entrySet()) {
            if (!read.contains(entry.getKey()) && entry.getValue().value() != null) {
                problem(
                        NOT_UNDERSTOOD,
                        entry.getKey(),
                        "the key \"" + entry.getKey() + "\" is not known, and may change what is computed",
                        "--ignore " + entry.getKey() + " passes over it");
            }
        }
        if (!problems.isEmpty()) {
            throw new ModelException(problems);
        }
    }
}
