package dev.remat.compiler.ast;

import dev.remat.ir.diagnostic.Location;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** An expression over tensors, layers and hyper-parameters. Operators are located at their sign. */
public sealed interface Expression {
    Location location();

    /** A name, or {@code _} for the missing argument of a partial application. */
    record Name(Location location, String text) implements Expression {}

    /** A number, text or truth value as it stands there. */
    sealed interface Literal extends Expression {}

    record IntLiteral(Location location, long value) implements Literal {}

    record FloatLiteral(Location location, double value) implements Literal {}

    record StringLiteral(Location location, String value) implements Literal {}

    record BoolLiteral(Location location, boolean value) implements Literal {}

    /** {@code [a, b]}. */
    record ListLiteral(Location location, List<Expression> elements) implements Expression {
        public ListLiteral {
            elements = List.copyOf(elements);
        }
    }

    /** {@code (a, b)}; of one element {@code (a,)}. */
    record TupleLiteral(Location location, List<Expression> elements) implements Expression {
        public TupleLiteral {
            elements = List.copyOf(elements);
            if (elements.isEmpty()) {
                throw new IllegalArgumentException("a tuple has at least one element");
            }
        }
    }

    /** {@code wte.weight}: a parameter of a named call. */
    record Attribute(Location location, Expression target, Identifier name) implements Expression {}

    /** {@code stages[0]}, {@code x[:, 0]}. */
    record Index(Location location, Expression target, List<Subscript> subscripts) implements Expression {
        public Index {
            subscripts = List.copyOf(subscripts);
            if (subscripts.isEmpty()) {
                throw new IllegalArgumentException("an index has at least one subscript");
            }
        }

        /** Target and subscripts, as written. */
        public List<Expression> parts() {
            List<Expression> parts = new ArrayList<>(List.of(target));
            subscripts.forEach(subscript -> parts.addAll(subscript.expressions()));
            return parts;
        }
    }

    /** {@code linear(x, 64)}. */
    record Call(Location location, Expression callee, List<Argument> arguments) implements Expression {
        public Call {
            arguments = List.copyOf(arguments);
        }
    }

    /** {@code call as name}: the name under which the call's parameters are known. */
    record Named(Location location, Expression target, Identifier name) implements Expression {}

    /** {@code retain x}, {@code recompute Block(x)} or {@code offload x}. */
    record Pinned(Location location, Pin pin, Expression target) implements Expression {}

    record Unary(Location location, UnaryOperator operator, Expression operand) implements Expression {}

    record Binary(Location location, BinaryOperator operator, Expression left, Expression right)
            implements Expression {}

    /** {@code left |> right}: {@code left} is the first argument of {@code right}, or the one written {@code _}. */
    record Pipe(Location location, Expression left, Expression right) implements Expression {}

    /** {@code if condition then yes else no}, on hyper-parameters. */
    record Conditional(Location location, Expression condition, Expression yes, Expression no) implements Expression {}

    /** What the planner must do with a value. */
    enum Pin {
        RETAIN,
        RECOMPUTE,
        OFFLOAD;

        /** As written. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
