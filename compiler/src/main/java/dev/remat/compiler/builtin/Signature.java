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

    /** Reads a signature as the tables write it. */
    public static Signature of(String text) {
        List<Slot> slots = new ArrayList<>();
        for (String part : text.isEmpty() ? new String[0] : text.split(", ")) {
            String[] nameAndRest = part.split(": ", 2);
            String[] kindAndDefault = nameAndRest[1].split(" = ", 2);
            Kind kind = Kind.valueOf(kindAndDefault[0].toUpperCase(Locale.ROOT));
            Optional<Datum> fallback =
                    kindAndDefault.length == 1 ? Optional.empty() : Optional.of(literal(kindAndDefault[1]));
            slots.add(new Slot(nameAndRest[0], kind, fallback));
        }
        return new Signature(text, slots, slots.stream().map(Slot::name).toList());
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
                        : text.matches("-?[0-9]+")
                                ? Datum.IntValue.of(Long.parseLong(text))
                                : new Datum.FloatValue(Double.parseDouble(text));
        };
    }
}
