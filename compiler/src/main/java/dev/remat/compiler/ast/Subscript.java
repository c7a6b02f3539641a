package dev.remat.compiler.ast;

import dev.remat.ir.diagnostic.Location;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What stands between the brackets of {@code x[i, a:b, ...]} for one axis, or for the axes that are left. */
public sealed interface Subscript {
    Location location();

    /** One element, elements by an integer tensor, or a new axis where the value is {@code none}. */
    record Place(Expression index) implements Subscript {
        @Override
        public Location location() {
            return index.location();
        }
    }

    /** {@code start:end:step}; what is left out is the first element, the end, 1. */
    record Range(Location location, Optional<Expression> start, Optional<Expression> end, Optional<Expression> step)
            implements Subscript {}

    /** {@code ...}: whole axes, as many as the other subscripts leave. */
    record Rest(Location location) implements Subscript {}

    /** The expressions in it, as written. */
    default List<Expression> expressions() {
        return switch (this) {
            case Place place -> List.of(place.index());
            case Range range ->
                Stream.of(range.start(), range.end(), range.step())
                        .flatMap(Optional::stream)
                        .toList();
            case Rest rest -> List.of();
        };
    }
}
