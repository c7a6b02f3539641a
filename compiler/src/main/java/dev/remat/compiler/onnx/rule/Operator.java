package dev.remat.compiler.onnx.rule;

import java.util.Optional;

/**
 * An operator of ONNX.
 *
 * @param how it is imported
 * @param says what the docs say of it: the builtin that it is, or why it is refused
 * @param rule empty of one that is refused
 */
public record Operator(String name, How how, String says, Optional<Rule> rule) {
    /** How operators are imported. */
    public enum How {
        /** As one call or operator of the language. */
        DIRECT,
        /** As several. */
        COMPOSED,
        /** While the file is read: no statement is left. */
        FOLDED,
        /** If an operand is known that decides what is computed. */
        IF_CONSTANT,
        REFUSED
    }

    public static Operator direct(String name, Rule.Single rule) {
        return new Operator(name, How.DIRECT, "", Optional.of(Rule.of(rule)));
    }

    public static Operator composed(String name, Rule.Single rule) {
        return new Operator(name, How.COMPOSED, "", Optional.of(Rule.of(rule)));
    }

    public static Operator several(String name, How how, Rule rule) {
        return new Operator(name, how, "", Optional.of(rule));
    }

    public static Operator folded(String name, Rule.Single rule) {
        return new Operator(name, How.FOLDED, "", Optional.of(Rule.of(rule)));
    }

    public static Operator ifConstant(String name, Rule rule) {
        return new Operator(name, How.IF_CONSTANT, "", Optional.of(rule));
    }

    public static Operator refused(String name, String reason) {
        return new Operator(name, How.REFUSED, reason, Optional.empty());
    }
}
