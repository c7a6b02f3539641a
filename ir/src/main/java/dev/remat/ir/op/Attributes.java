package dev.remat.ir.op;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/**
 * Named constants of an operation in the text form, in order. Values are words, numbers or bracketed lists; a reader
 * asks for the type it expects and gets an {@link IllegalArgumentException} for anything else.
 */
public record Attributes(SequencedMap<String, String> values) {
    private static final String WIDE = "wide";
    private static final String PRECISE = "precise";

    public static final Attributes NONE = new Attributes(new LinkedHashMap<>());

    public Attributes {
        values = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(values));
    }

    public Attributes with(String name, Object value) {
        SequencedMap<String, String> extended = new LinkedHashMap<>(values);
        extended.put(name, value.toString());
        return new Attributes(extended);
    }

    /** The same with one more where that is so. */
    Attributes with(String name, Object value, boolean said) {
        return said ? with(name, value) : this;
    }

    /** Says that sums of 16-bit floats stay f32, or nothing where they are rounded. */
    Attributes withWide(boolean wide) {
        return wide ? with(WIDE, true) : this;
    }

    boolean isWide() {
        return has(WIDE) && flag(WIDE);
    }

    /** Says that sums are added up in f64, or nothing where they are in f32. */
    Attributes withPrecise(boolean precise) {
        return with(PRECISE, true, precise);
    }

    boolean isPrecise() {
        return has(PRECISE) && flag(PRECISE);
    }

    public Attributes without(String name) {
        SequencedMap<String, String> reduced = new LinkedHashMap<>(values);
        reduced.remove(name);
        return new Attributes(reduced);
    }

    public Attributes with(String name, Shape shape) {
        return with(name, (Object) shape);
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    public String word(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("missing attribute " + name);
        }
        return value;
    }

    public boolean flag(String name) {
        return switch (word(name)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(name + " is not true or false: " + word(name));
        };
    }

    public int integer(String name) {
        return Integer.parseInt(word(name));
    }

    public long number(String name) {
        return Long.parseLong(word(name));
    }

    public double real(String name) {
        return Double.parseDouble(word(name));
    }

    public Dim dim(String name) {
        return Dim.parse(word(name));
    }

    public Shape shape(String name) {
        return new Shape(items(name).stream().map(Dim::parse).toList());
    }

    public List<Integer> integers(String name) {
        return items(name).stream().map(Integer::valueOf).toList();
    }

    public List<Long> longs(String name) {
        return items(name).stream().map(Long::valueOf).toList();
    }

    public List<Double> reals(String name) {
        return items(name).stream().map(Double::valueOf).toList();
    }

    public List<Dim> dims(String name) {
        return items(name).stream().map(Dim::parse).toList();
    }

    List<String> items(String name) {
        String value = word(name);
        if (!value.startsWith("[") || !value.endsWith("]")) {
            throw new IllegalArgumentException(name + " is not a list: " + value);
        }
        String inner = value.substring(1, value.length() - 1);
        return inner.isBlank()
                ? List.of()
                : Arrays.stream(splitTop(inner)).map(String::strip).toList();
    }

    /** Splits at commas outside parentheses, since a floor quotient holds one. */
    private static String[] splitTop(String text) {
        StringBuilder marked = new StringBuilder();
        int depth = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            marked.append(c == ',' && depth == 0 ? '\n' : c);
        }
        return marked.toString().split("\n");
    }

    /** {@code {name=value, …}}, or nothing where there are none. */
    @Override
    public String toString() {
        return values.isEmpty()
                ? ""
                : values.entrySet().stream()
                        .map(e -> e.getKey() + "=" + e.getValue())
                        .collect(Collectors.joining(", ", "{", "}"));
    }
}
