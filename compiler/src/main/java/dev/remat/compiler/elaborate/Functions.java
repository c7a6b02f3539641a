package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Identifier;
import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.ir.diagnostic.Location;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What can be called. */
final class Functions {
    private Functions() {}

    /** A function of the table. */
    record OfTable(Builtin builtin) implements Datum.Function {
        @Override
        public String name() {
            return builtin.name();
        }
    }

    /** A layer of a model, with the names in sight of its definition. */
    record Layer(LayerDefinition definition, Environment around, CallSites sites) implements Datum.Function {
        @Override
        public String name() {
            return definition.name().text();
        }

        /** Environments refer to layers: only the location counts. */
        @Override
        public boolean equals(Object other) {
            return other instanceof Layer that && that.definition.location().equals(definition.location());
        }

        @Override
        public int hashCode() {
            return definition.location().hashCode();
        }

        @Override
        public String toString() {
            return name();
        }
    }

    /**
     * A function with some arguments given and others left open.
     *
     * @param shared the parameters of every application, where {@code as} gave it a name
     */
    record Partial(Datum.Function target, List<GivenArgument> given, Optional<Instance> shared)
            implements Datum.Function {
        @Override
        public String name() {
            return target.name();
        }

        @Override
        public String canonical() {
            return given.stream()
                    .map(argument -> argument.label().map(name -> name + " = ").orElse("")
                            + argument.value().canonical())
                    .collect(Collectors.joining(", ", target.canonical() + "(", ")"));
        }

        @Override
        public String text() {
            return given.stream()
                    .map(argument -> argument.label().map(name -> name + " = ").orElse("")
                            + argument.value().text())
                    .collect(Collectors.joining(", ", target.text() + "(", ")"));
        }
    }

    /** An argument of a call. */
    record GivenArgument(Optional<Identifier> name, Datum value, Location location) {
        Optional<String> label() {
            return name.map(Identifier::text);
        }

        GivenArgument named(Optional<Identifier> other) {
            return new GivenArgument(other, value, location);
        }

        boolean isOpen() {
            return value instanceof Datum.Placeholder;
        }
    }
}
