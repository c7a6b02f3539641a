package dev.remat.compiler.ast;

import dev.remat.ir.diagnostic.Location;
import java.util.List;

/** What takes a value: a name, or a tuple of what takes its elements. */
public sealed interface Target {
    Location location();

    /** The names in it, from the left. */
    List<Identifier> names();

    /** {@code h}; {@code _} drops the value. */
    record Name(Identifier name) implements Target {
        @Override
        public Location location() {
            return name.location();
        }

        @Override
        public List<Identifier> names() {
            return List.of(name);
        }
    }

    /** {@code (h, c)}, of two at least. */
    record Tuple(Location location, List<Target> elements) implements Target {
        public Tuple {
            elements = List.copyOf(elements);
            if (elements.size() < 2) {
                throw new IllegalArgumentException("brackets around one target mean nothing");
            }
        }

        @Override
        public List<Identifier> names() {
            return elements.stream()
                    .flatMap(element -> element.names().stream())
                    .toList();
        }
    }
}
