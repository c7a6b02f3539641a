package dev.remat.compiler.builtin;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.ValueId;
import java.util.List;
import java.util.stream.Collectors;

/** What an expression of a model stands for while the graph is built. */
public sealed interface Datum {
    /** "a tensor", "an integer": for messages. */
    default String kind() {
        return switch (this) {
            case Tensor _ -> "a tensor";
            case IntValue _ -> "an integer";
            case FloatValue _ -> "a number";
            case BoolValue _ -> "a bool";
            case StringValue _ -> "a string";
            case DTypeValue _ -> "a dtype";
            case ListValue list -> list.isTuple() ? "a tuple" : "a list";
            case InitializerValue _ -> "an initialiser";
            case None _ -> "none";
            case Placeholder _ -> "an open argument";
            case Unknown _ -> "unknown";
            case Function function -> "the layer '" + function.name() + "'";
            case Path _ -> "a named layer";
        };
    }

    /** Text by which a model's hash knows the value; it stays as it is when a class here is renamed. */
    default String canonical() {
        return switch (this) {
            case IntValue(Dim value) -> "Int[value=" + value + "]";
            case FloatValue(double value) -> "Real[value=" + value + "]";
            case BoolValue(boolean value) -> "Flag[value=" + value + "]";
            case StringValue(String value) -> "Text[value=" + value + "]";
            case DTypeValue(DType value) -> "Type[value=" + value + "]";
            case ListValue(List<Datum> elements, boolean isTuple) ->
                elements.stream()
                        .map(Datum::canonical)
                        .collect(Collectors.joining(", ", "Items[elements=[", "], isTuple=" + isTuple + "]"));
            case InitializerValue(Initial value) -> "Start[value=" + value + "]";
            case Function function -> function.name();
            case None _ -> "None[]";
            case Tensor _, Placeholder _, Unknown _, Path _ -> kind();
        };
    }

    /** The value of a hyper-parameter much as it is written in a model. */
    default String text() {
        return switch (this) {
            case IntValue(Dim value) -> value.toString();
            case FloatValue(double value) -> String.valueOf(value);
            case BoolValue(boolean value) -> String.valueOf(value);
            case StringValue(String value) -> value;
            case DTypeValue(DType value) -> value.label();
            case ListValue(List<Datum> elements, boolean isTuple) ->
                elements.stream()
                        .map(element ->
                                element instanceof StringValue(String value) ? '"' + value + '"' : element.text())
                        .collect(Collectors.joining(", ", isTuple ? "(" : "[", isTuple ? ")" : "]"));
            case InitializerValue(Initial value) -> value.toString();
            case Function function -> function.name();
            case None _ -> "none";
            case Placeholder _ -> "_";
            case Tensor _, Unknown _, Path _ -> kind();
        };
    }

    /** A tensor of the graph. */
    record Tensor(ValueId id) implements Datum {}

    /** An integer, possibly in terms of symbols. */
    record IntValue(Dim value) implements Datum {
        public static IntValue of(long value) {
            return new IntValue(Dim.of(value));
        }
    }

    record FloatValue(double value) implements Datum {}

    record BoolValue(boolean value) implements Datum {}

    record StringValue(String value) implements Datum {}

    record DTypeValue(DType value) implements Datum {}

    /** A list or tuple. */
    record ListValue(List<Datum> elements, boolean isTuple) implements Datum {
        public ListValue {
            elements = List.copyOf(elements);
        }
    }

    /** How a parameter starts. */
    record InitializerValue(Initial value) implements Datum {}

    /** {@code none}: an optional argument that was left out. */
    record None() implements Datum {}

    /** {@code _}: the argument that a partial application leaves open. */
    record Placeholder() implements Datum {}

    /** The value of an expression with an error in it; whatever reads it is silently given up. */
    record Unknown() implements Datum {}

    /** A layer or builtin. */
    non-sealed interface Function extends Datum {
        /** As defined. */
        String name();
    }

    /** Parameters by name, such as {@code wte} of {@code wte.weight}. */
    non-sealed interface Path extends Datum {}
}
