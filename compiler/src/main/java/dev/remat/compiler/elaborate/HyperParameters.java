package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Declaration;
import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Identifier;
import dev.remat.compiler.ast.Parameter;
import dev.remat.compiler.ast.ParameterType;
import dev.remat.compiler.ast.Statement;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.error.Suggestion;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.ir.Dim;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/** Gives the model's parameters their values: those that were set, else the defaults. */
final class HyperParameters {
    private static final Location SET = new Location(Bindings.FILE, 1, 1);

    private final Session session;
    private final Bindings bindings;
    private final SequencedMap<String, Long> extents = new LinkedHashMap<>();

    HyperParameters(Session session, Bindings bindings) {
        this.session = session;
        this.bindings = bindings;
    }

    /** Names of the model's symbols, in order. */
    static List<String> symbols(Declaration.ModelDefinition model) {
        return model.body().statements().stream()
                .filter(Statement.Symbols.class::isInstance)
                .flatMap(statement -> ((Statement.Symbols) statement).names().stream())
                .map(Identifier::text)
                .toList();
    }

    /** Extents of the symbols that were bound. */
    SequencedMap<String, Long> extents() {
        return extents;
    }

    /** Binds all; returns the value of each hyper-parameter by name. */
    SequencedMap<String, Datum> bind(Declaration.ModelDefinition model, Environment names) {
        List<String> symbols = symbols(model);
        List<String> known = new ArrayList<>(
                model.parameters().stream().map(p -> p.name().text()).toList());
        known.addAll(symbols);
        for (String name : bindings.values().keySet()) {
            if (!known.contains(name)) {
                report(session.failure(
                        "E0205",
                        SET,
                        1,
                        "the model has no symbol or hyper-parameter '" + name + "'",
                        Suggestion.note(name, known).orElse("it has " + String.join(", ", known))));
            }
        }
        symbols.forEach(this::bindSymbol);
        SequencedMap<String, Datum> values = new LinkedHashMap<>();
        for (Parameter parameter : model.parameters()) {
            Datum value = value(parameter, names);
            names.set(parameter.name().text(), value);
            session.tell(parameter.name().location(), value);
            values.put(parameter.name().text(), value);
        }
        return values;
    }

    /** Gives symbols that the graph leaves open the extents that the training reads. */
    void bindForTraining(Environment names) {
        try {
            bindings.ofTraining()
                    .forEach((symbol, text) -> names.set(symbol, new Datum.IntValue(Dim.of(extent(symbol, text)))));
        } catch (ElaborationAborted failure) {
            report(failure);
        }
    }

    private void bindSymbol(String symbol) {
        String text = bindings.values().getOrDefault(symbol, bindings.earlier().get(symbol));
        if (text == null) {
            return;
        }
        try {
            extents.put(symbol, extent(symbol, text));
            session.statements().declarations().bind(symbol, extents.get(symbol));
        } catch (ElaborationAborted failure) {
            report(failure);
        }
    }

    private long extent(String symbol, String text) {
        try {
            long extent = text.matches("[0-9]+") ? Long.parseLong(text) : 0;
            if (extent > 0) {
                return extent;
            }
        } catch (NumberFormatException e) {
            throw session.failure("E0205", SET, 1, "the extent of symbol '" + symbol + "' is too large: " + text);
        }
        throw session.failure("E0205", SET, 1, "symbol '" + symbol + "' is a positive integer, not " + text);
    }

    private Datum value(Parameter parameter, Environment names) {
        String name = parameter.name().text();
        Location location = parameter.name().location();
        try {
            if (names.declare(name, location).isPresent()) {
                throw session.failure("E0202", location, name.length(), "'" + name + "' is declared twice");
            }
            Optional<Datum> fallback =
                    parameter.fallback().map(value -> session.expressions().known(value, names));
            Optional<Datum> checked = fallback.map(value -> session.guarded(
                    location,
                    name.length(),
                    names.instance(),
                    () -> ParameterTypes.accepted(name, parameter.type(), value)));
            String text = bindings.values().get(name);
            if (text != null) {
                boolean word = isText(parameter, checked) && text.matches("\\w+");
                return set(
                        parameter, text, word ? new Expression.StringLiteral(SET, text) : parsed(name, text), checked);
            }
            String earlier = bindings.earlier().get(name);
            // What the default says already need not be read back from its text.
            if (earlier != null && !checked.map(Datum::text).equals(Optional.of(earlier))) {
                return earlier(parameter, earlier, checked);
            }
            return checked.orElseThrow(() -> session.failure(
                    "E0206",
                    location,
                    name.length(),
                    "hyper-parameter '" + name + "' has no value",
                    "give it a default, or one with --set " + name + "=…"));
        } catch (ElaborationAborted failure) {
            report(failure);
            return new Datum.Unknown();
        }
    }

    /** What was set, of the declared type or, without one, of the default's. */
    private Datum set(Parameter parameter, String text, Expression expression, Optional<Datum> fallback) {
        String name = parameter.name().text();
        Datum value = evaluated(name, text, expression);
        return session.guarded(SET, 1, new Instance(""), () -> {
            Datum accepted = ParameterTypes.accepted(name, parameter.type(), value);
            if (parameter.type().isPresent() || fallback.isEmpty()) {
                return accepted;
            }
            boolean real = fallback.get() instanceof Datum.FloatValue && Numbers.isNumber(value);
            if (!real && value.getClass() != fallback.get().getClass() && !(value instanceof Datum.Function)) {
                throw new SemanticError(
                        "E0302", "'" + name + "' is " + fallback.get().kind() + ", not " + value.kind());
            }
            return real ? new Datum.FloatValue(Numbers.real(value)) : accepted;
        });
    }

    private static boolean isText(Parameter parameter, Optional<Datum> fallback) {
        return parameter
                .type()
                .map(type -> type instanceof ParameterType.Simple simple
                        && simple.name().equals("string"))
                .orElse(fallback.orElse(new Datum.None()) instanceof Datum.StringValue);
    }

    /** What the model was trained with. */
    private Datum earlier(Parameter parameter, String text, Optional<Datum> fallback) {
        String name = parameter.name().text();
        try {
            Expression expression =
                    isText(parameter, fallback) ? new Expression.StringLiteral(SET, text) : parsed(name, text);
            return set(parameter, text, expression, fallback);
        } catch (ElaborationAborted failure) {
            throw session.failure(
                    "E0205",
                    SET,
                    1,
                    "the model was trained with '" + text + "' for '" + name + "', which cannot be read back",
                    "give it again: --set " + name + "=…");
        }
    }

    private Datum evaluated(String name, String text, Expression expression) {
        try {
            return session.expressions().known(expression, empty());
        } catch (ElaborationAborted failure) {
            String reason =
                    failure.diagnostic().map(found -> ": " + found.message()).orElse("");
            throw session.failure("E0205", SET, 1, "'" + text + "' is no value for '" + name + "'" + reason);
        }
    }

    private Expression parsed(String name, String text) {
        try {
            return ModelParser.parseValue(new Source(Bindings.FILE, text));
        } catch (ModelException e) {
            throw session.failure("E0205", SET, 1, "'" + text + "' is no value for '" + name + "'");
        }
    }

    private static Environment empty() {
        return new Environment(Optional.empty(), new Instance(""), CallSites.NONE);
    }

    /** Settings have one location for all: each is reported on its own. */
    private void report(ElaborationAborted failure) {
        session.report(failure);
        if (failure.diagnostic().map(found -> found.location().equals(SET)).orElse(false)) {
            session.diagnostics().throwIfErrors();
        }
    }
}
