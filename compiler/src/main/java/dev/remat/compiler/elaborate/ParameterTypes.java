package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.ParameterType;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.error.Suggestion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Checks values against the types that parameters declare. */
final class ParameterTypes {
    private static final List<String> NAMES = List.of("int", "float", "bool", "string", "dtype", "tensor", "layer");

    private ParameterTypes() {}

    /**
     * The value as the parameter gets it: an integer becomes a real number where one is declared.
     *
     * @throws SemanticError if it does not suit (E0302)
     */
    static Datum accepted(String name, Optional<ParameterType> type, Datum value) {
        return value instanceof Datum.Unknown || type.isEmpty()
                ? value
                : accepted(type.get(), value)
                        .orElseThrow(() -> new SemanticError("E0302", "'" + name + "' " + describe(type.get(), value)));
    }

    private static Optional<Datum> accepted(ParameterType type, Datum value) {
        return switch (type) {
            case ParameterType.Simple simple -> simple(simple.name(), value);
            case ParameterType.ListOf list ->
                value instanceof Datum.ListValue items
                        ? all(
                                items.elements().stream()
                                        .map(e -> accepted(list.element(), e))
                                        .toList(),
                                false)
                        : Optional.empty();
            case ParameterType.TupleOf tuple -> {
                if (!(value instanceof Datum.ListValue items)
                        || items.elements().size() != tuple.elements().size()) {
                    yield Optional.empty();
                }
                List<Optional<Datum>> elements = new ArrayList<>();
                for (int i = 0; i < items.elements().size(); i++) {
                    elements.add(
                            accepted(tuple.elements().get(i), items.elements().get(i)));
                }
                yield all(elements, true);
            }
        };
    }

    private static Optional<Datum> all(List<Optional<Datum>> elements, boolean isTuple) {
        return elements.stream().allMatch(Optional::isPresent)
                ? Optional.of(new Datum.ListValue(
                        elements.stream().map(Optional::orElseThrow).toList(), isTuple))
                : Optional.empty();
    }

    private static Optional<Datum> simple(String name, Datum value) {
        boolean suits = switch (name) {
            case "int" -> value instanceof Datum.IntValue;
            case "float" -> Numbers.isNumber(value);
            case "bool" -> value instanceof Datum.BoolValue;
            case "string" -> value instanceof Datum.StringValue;
            case "dtype" -> value instanceof Datum.DTypeValue;
            case "tensor" -> value instanceof Datum.Tensor;
            case "layer" -> value instanceof Datum.Function;
            default ->
                throw new SemanticError(
                        "E0201",
                        "there is no type '" + name + "'",
                        Suggestion.note(name, NAMES).orElse("there are " + String.join(", ", NAMES)));
        };
        if (!suits) {
            return Optional.empty();
        }
        return Optional.of(name.equals("float") ? new Datum.FloatValue(Numbers.real(value)) : value);
    }

    private static String describe(ParameterType type, Datum value) {
        boolean simple = type instanceof ParameterType.Simple;
        return simple || !(value instanceof Datum.ListValue)
                ? "is " + (simple ? kind(text(type)) : "of type " + text(type)) + ", not " + value.kind()
                : "is of type " + text(type) + ", and this is " + value.kind() + " of others";
    }

    private static String kind(String name) {
        return switch (name) {
            case "int" -> "an integer";
            case "float" -> "a number";
            default -> "a " + name;
        };
    }

    private static String text(ParameterType type) {
        return switch (type) {
            case ParameterType.Simple simple -> simple.name();
            case ParameterType.ListOf list -> "[" + text(list.element()) + "]";
            case ParameterType.TupleOf tuple ->
                tuple.elements().stream().map(ParameterTypes::text).collect(Collectors.joining(", ", "(", ")"));
        };
    }
}
