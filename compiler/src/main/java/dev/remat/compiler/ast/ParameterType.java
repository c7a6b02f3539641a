package dev.remat.compiler.ast;

import dev.remat.ir.diagnostic.Location;
import java.util.List;

/** What a parameter of a model or layer accepts. */
public sealed interface ParameterType {
    Location location();

    /** {@code int}, {@code float}, {@code bool}, {@code string}, {@code dtype}, {@code tensor} or {@code layer}. */
    record Simple(Location location, String name) implements ParameterType {}

    /** {@code [element]}: a list of any length. */
    record ListOf(Location location, ParameterType element) implements ParameterType {}

    /** {@code (first, second, …)}: a tuple of two or more. */
    record TupleOf(Location location, List<ParameterType> elements) implements ParameterType {
        public TupleOf {
            elements = List.copyOf(elements);
        }
    }
}
