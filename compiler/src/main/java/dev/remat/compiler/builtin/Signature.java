package dev.remat.compiler.builtin;

import dev.remat.ir.DType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;

/** What a builtin takes: {@code "x: tensor, features: int, bias: bool = true, weight: tensor = none"}. */
public record Signature(String text, List<Slot> slots, List<String> names) {
    public Signature {
        slots = List.copyOf(slots);
        names = List.copyOf(names);
    }

    /** A parameter of a builtin; the fallback makes it optional. */
    public record Slot(String name, Kind kind, Optional<Datum> fallback) {
        /** Whether {@code value} may be given; {@code none} only where leaving the argument out means it. */
        boolean accepts(Datum value) {
            return value instanceof Datum.None
                    ? fallback.filter(Datum.None.class::isInstance).isPresent()
                    : kind.accepts(value);
        }
    }

    /**
     * Reads a signature as the tables write it; without regular expressions, for every start reads hundreds of them.
     */
    public static Signature of(String text) {
        List<Slot> slots = new ArrayList<>();
        for (int from = 0; from < text.length(); ) {
            int comma = text.indexOf(", ", from);
            slots.add(slot(text.substring(from, comma < 0 ? text.length() : comma)));
            from = comma < 0 ? text.length() : comma + 2;
        }
        return new Signature(text, slots, slots.stream().map(Slot::name).toList());
    }

    private static Slot slot(String text) {
        int colon = text.indexOf(": ");
        int equal = text.indexOf(" = ");
        String kind = text.substring(colon + 2, equal < 0 ? text.length() : equal);
        return new Slot(
                text.substring(0, colon),
                Kind.valueOf(kind.toUpperCase(Locale.ROOT)),
                equal < 0 ? Optional.empty() : Optional.of(literal(text.substring(equal + 3))));
    }

    /** Arguments as a body in the language sees them: numbers are real where these are asked for. */
    public SequencedMap<String, Datum> values(Arguments arguments) {
        SequencedMap<String, Datum> values = new LinkedHashMap<>();
        for (Slot slot : slots) {
            boolean real = slot.kind() == Kind.FLOAT && arguments.isGiven(slot.name());
            values.put(
                    slot.name(), real ? new Datum.FloatValue(arguments.real(slot.name())) : arguments.any(slot.name()));
        }
        return values;
    }

    private static Datum literal(String text) {
        return switch (text) {
            case "none" -> new Datum.None();
            case "true" -> new Datum.BoolValue(true);
            case "false" -> new Datum.BoolValue(false);
            case "f32" -> new Datum.DTypeValue(DType.F32);
            case "i32" -> new Datum.DTypeValue(DType.I32);
            default ->
                text.startsWith("\"")
                        ? new Datum.StringValue(text.substring(1, text.length() - 1))
                        : text.chars().allMatch(c -> c == '-' || '0' <= c && c <= '9')
                                ? Datum.IntValue.of(Long.parseLong(text))
                                : new Datum.FloatValue(Double.parseDouble(text));
        };
    }
}
