package dev.remat.compiler.builtin;

import java.util.Locale;

/** What an argument of a builtin may be. */
public enum Kind {
    TENSOR("a tensor"),
    /** A list or tuple of tensors. */
    TENSORS("a list of tensors"),
    /** A tensor or a number. */
    OPERAND("a tensor or a number"),
    INT("an integer"),
    FLOAT("a number"),
    BOOL("a bool"),
    STRING("a string"),
    DTYPE("a dtype"),
    /** One integer for both axes, or one for each. */
    PAIR("an integer or two"),
    /** A pair, or what stands for one. */
    PADDING("an integer, two, \"same\" or \"valid\""),
    /** An integer, or a list or tuple of integers. */
    INTS("an integer or a list of integers"),
    /** How a parameter starts. */
    INIT("an initialiser"),
    LIST("a list or tuple"),
    ANY("anything");

    private final String description;

    Kind(String description) {
        this.description = description;
    }

    /** "an integer": for messages. */
    public String description() {
        return description;
    }

    /** As written in signatures: {@code int}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether {@code datum} suits; integers suit where numbers do. */
    public boolean accepts(Datum datum) {
        return switch (this) {
            case TENSOR -> datum instanceof Datum.Tensor;
            case TENSORS ->
                datum instanceof Datum.ListValue items
                        && items.elements().stream().allMatch(TENSOR::accepts);
            case OPERAND -> TENSOR.accepts(datum) || FLOAT.accepts(datum);
            case INT -> datum instanceof Datum.IntValue;
            case FLOAT -> datum instanceof Datum.FloatValue || datum instanceof Datum.IntValue;
            case BOOL -> datum instanceof Datum.BoolValue;
            case STRING -> datum instanceof Datum.StringValue;
            case DTYPE -> datum instanceof Datum.DTypeValue;
            case PAIR ->
                INT.accepts(datum)
                        || INTS.accepts(datum)
                                && ((Datum.ListValue) datum).elements().size() == 2;
            case PADDING -> PAIR.accepts(datum) || STRING.accepts(datum);
            case INTS ->
                INT.accepts(datum)
                        || datum instanceof Datum.ListValue items
                                && items.elements().stream().allMatch(INT::accepts);
            case INIT ->
                datum instanceof Datum.InitializerValue
                        || Initials.ofName(datum).isPresent();
            case LIST -> datum instanceof Datum.ListValue;
            case ANY -> true;
        };
    }
}
