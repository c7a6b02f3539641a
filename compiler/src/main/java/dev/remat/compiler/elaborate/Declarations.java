package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Identifier;
import dev.remat.compiler.ast.Span;
import dev.remat.compiler.ast.Statement;
import dev.remat.compiler.ast.TensorType;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Initial;
import dev.remat.compiler.error.Suggestion;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.InputKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Symbols, inputs, parameters and outputs. */
final class Declarations {
    private final Session session;
    private final Map<String, Long> bound = new LinkedHashMap<>();
    private final Map<String, Location> outputs = new LinkedHashMap<>();

    Declarations(Session session) {
        this.session = session;
    }

    /** The symbol is a number from the start. */
    void bind(String symbol, long extent) {
        bound.put(symbol, extent);
    }

    /** @throws ElaborationAborted if another declaration of this body has the name */
    void declare(Identifier name, Environment names) {
        Optional<Location> before = names.declare(name.text(), name.location());
        if (before.isPresent()) {
            throw session.failure(
                    "E0202",
                    name.location(),
                    name.text().length(),
                    "'" + name + "' is declared twice",
                    "first at " + before.get());
        }
    }

    void symbols(Statement.Symbols symbols, Environment names) {
        for (Identifier name : symbols.names()) {
            declare(name, names);
            Long extent = bound.get(name.text());
            Dim dim = extent == null ? Dim.symbol(name.text()) : Dim.of(extent);
            names.set(name.text(), new Datum.IntValue(dim));
            session.tell(name.location(), new Datum.IntValue(dim));
        }
    }

    void input(Statement.Input input, Environment names) {
        declare(input.name(), names);
        dev.remat.ir.TensorType type = type(input.type(), names);
        Location location = input.name().location();
        ValueId id = session.guarded(
                location,
                input.name().text().length(),
                names.instance(),
                () -> session.graph().input(input.name().text(), type, InputKind.DATA, Initializer.ZEROS, location));
        names.set(input.name().text(), new Datum.Tensor(id));
        session.tell(location, new Datum.Tensor(id));
    }

    void param(Statement.Param param, Environment names) {
        declare(param.name(), names);
        dev.remat.ir.TensorType type = type(param.type(), names);
        Initial initial =
                param.initializer().map(start -> initial(start, names)).orElse(Initial.ZEROS);
        String name = param.name().text();
        int before = names.count(name);
        String full = names.sites().isGivenInLoop(name) ? name + "." + before : name;
        session.graph().at(param.name().location(), names.instance());
        ValueId id = session.guarded(
                param.name().location(),
                name.length(),
                names.instance(),
                () -> param.trained()
                        ? session.graph().parameter(full, type, initial)
                        : session.graph().buffer(full, type, initial));
        names.set(name, new Datum.Tensor(id));
        session.tell(param.name().location(), new Datum.Tensor(id));
    }

    private Initial initial(Expression expression, Environment names) {
        Datum value = session.expressions().known(expression, names);
        return switch (value) {
            case Datum.InitializerValue start -> start.value();
            case Datum.Function function when function.name().equals("zeros") -> Initial.ZEROS;
            case Datum.Function function when function.name().equals("ones") -> Initial.ONES;
            case Datum other ->
                throw session.failure(
                        "E0302",
                        expression.location(),
                        Span.of(expression),
                        "a parameter starts with an initialiser, not with " + other.kind(),
                        "such as normal(std = 0.02), zeros or constant(0.5)");
        };
    }

    void output(Statement.Output output, Environment names) {
        for (Identifier name : output.names()) {
            Expression.Name read = new Expression.Name(name.location(), name.text());
            Datum value = session.expressions().known(read, names);
            if (!(value instanceof Datum.Tensor tensor)) {
                throw session.failure(
                        "E0302", name.location(), name.text().length(), "an output is a tensor, not " + value.kind());
            }
            Location before = outputs.putIfAbsent(name.text(), name.location());
            if (before != null) {
                throw session.failure(
                        "E0202",
                        name.location(),
                        name.text().length(),
                        "'" + name + "' is an output already",
                        "first at " + before);
            }
            session.graph().output(name.text(), tensor.id());
        }
    }

    /** A loss, under the name that every plan knows it by; what the model calls so must be the same. */
    void output(String name, ValueId loss, Expression at) {
        Optional<ValueId> given = session.graph().output(name);
        if (given.isEmpty()) {
            session.graph().output(name, loss);
        } else if (!given.get().equals(loss)) {
            throw session.failure(
                    "E0202",
                    at.location(),
                    Span.of(at),
                    "the output '" + name + "' is another value",
                    "plans call what is minimised so: minimise it, or give the output another name");
        }
    }

    private dev.remat.ir.TensorType type(TensorType type, Environment names) {
        List<Dim> dims = new ArrayList<>();
        for (Expression dim : type.dims()) {
            Datum value = session.expressions().known(dim, names);
            if (!(value instanceof Datum.IntValue extent)) {
                throw session.failure(
                        "E0302", dim.location(), Span.of(dim), "an extent is an integer, not " + value.kind());
            }
            dims.add(extent.value());
        }
        return new dev.remat.ir.TensorType(dtype(type.dtype()), new Shape(dims));
    }

    private DType dtype(Identifier name) {
        List<String> labels = Arrays.stream(DType.values())
                .filter(DType::isOfModels)
                .map(DType::label)
                .toList();
        if (!labels.contains(name.text())) {
            throw session.failure(
                    "E0201",
                    name.location(),
                    name.text().length(),
                    "there is no dtype '" + name + "'",
                    Suggestion.note(name.text(), labels).orElse("there are " + String.join(", ", labels)));
        }
        return DType.ofLabel(name.text());
    }
}
