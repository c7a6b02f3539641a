package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Span;
import dev.remat.compiler.ast.UnaryOperator;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.table.Builtins;
import dev.remat.compiler.error.Suggestion;
import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.ValuePin;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Values of expressions. */
final class ExpressionEvaluator {
    private final Session session;

    ExpressionEvaluator(Session session) {
        this.session = session;
    }

    Datum evaluate(Expression expression, Environment names) {
        session.enter(1, expression.location());
        try {
            return value(expression, names);
        } finally {
            session.leave(1);
        }
    }

    /** A value that is known; the unknown ends the statement silently. */
    Datum known(Expression expression, Environment names) {
        Datum value = evaluate(expression, names);
        if (value instanceof Datum.Unknown) {
            throw ElaborationAborted.reportedBefore();
        }
        return value;
    }

    private Datum value(Expression expression, Environment names) {
        return switch (expression) {
            case Expression.Name name -> name(name, names);
            case Expression.IntLiteral literal -> Datum.IntValue.of(literal.value());
            case Expression.FloatLiteral literal -> new Datum.FloatValue(literal.value());
            case Expression.StringLiteral literal -> new Datum.StringValue(literal.value());
            case Expression.BoolLiteral literal -> new Datum.BoolValue(literal.value());
            case Expression.ListLiteral list -> items(list.elements(), false, names);
            case Expression.TupleLiteral tuple -> items(tuple.elements(), true, names);
            case Expression.Attribute attribute -> attribute(attribute, names);
            case Expression.Index index ->
                new IndexEvaluator(session, names).evaluate(index, path(index.target(), names));
            case Expression.Call call -> session.calls().call(call, Optional.empty(), names);
            case Expression.Named named -> named(named, names);
            case Expression.Pinned pinned -> pinned(pinned, () -> known(pinned.target(), names));
            case Expression.Unary unary -> unary(unary, names);
            case Expression.Binary binary -> binary(binary, names);
            case Expression.Pipe pipe ->
                session.calls()
                        .pipe(known(pipe.left(), names), pipe.left().location(), pipe.right(), Optional.empty(), names);
            case Expression.Conditional choice ->
                condition(choice.condition(), names) ? evaluate(choice.yes(), names) : evaluate(choice.no(), names);
        };
    }

    /** What stands before the brackets of a call: a variable hides a builtin of its name. */
    Datum callee(Expression callee, Environment names) {
        if (callee instanceof Expression.Name name) {
            Optional<Builtin> builtin = Builtins.find(name.text());
            boolean hidden = names.find(name.text())
                    .map(value -> !(value instanceof Datum.Function))
                    .orElse(false);
            if (builtin.isPresent() && hidden) {
                return new Functions.OfTable(builtin.get());
            }
        }
        return evaluate(callee, names);
    }

    private Datum name(Expression.Name name, Environment names) {
        String text = name.text();
        Optional<Datum> variable = names.find(text);
        if (variable.isPresent()) {
            return variable.get();
        }
        Optional<Builtin> builtin = Builtins.find(text);
        if (builtin.isPresent()) {
            return new Functions.OfTable(builtin.get());
        }
        if (text.equals("_")) {
            return new Datum.Placeholder();
        } else if (text.equals("none")) {
            return new Datum.None();
        }
        Optional<Datum> number = Numbers.named(text);
        if (number.isPresent()) {
            return number.get();
        }
        for (DType dtype : DType.values()) {
            if (dtype.isOfModels() && dtype.label().equals(text)) {
                return new Datum.DTypeValue(dtype);
            }
        }
        if (names.findCall(text).isPresent()) {
            throw session.failure(
                    "E0201",
                    name.location(),
                    text.length(),
                    "'" + text + "' names a call, not a value",
                    "its parameters are written '" + text + ".weight' and the like");
        }
        List<String> candidates = new ArrayList<>(names.names());
        candidates.addAll(Builtins.names());
        String[] notes = Suggestion.note(text, candidates).stream().toArray(String[]::new);
        throw session.failure("E0201", name.location(), text.length(), "unknown name '" + text + "'", notes);
    }

    private Datum items(List<Expression> elements, boolean isTuple, Environment names) {
        List<Datum> values = new ArrayList<>();
        for (Expression element : elements) {
            values.add(known(element, names));
        }
        return new Datum.ListValue(values, isTuple);
    }

    private Datum attribute(Expression.Attribute attribute, Environment names) {
        Optional<Datum> call =
                attribute.target() instanceof Expression.Name name ? names.findCall(name.text()) : Optional.empty();
        Datum target = call.isPresent() ? call.get() : path(attribute.target(), names);
        String member = attribute.name().text();
        Location location = attribute.name().location();
        return switch (target) {
            case Instance instance ->
                instance.member(member)
                        .orElseThrow(() -> session.failure(
                                "E0208",
                                location,
                                member.length(),
                                "'" + instance.path() + "' has no '" + member + "'",
                                Suggestion.note(member, instance.members())
                                        .orElse("it has " + String.join(", ", instance.members()))));
            case Instance.Numbered numbered ->
                throw session.failure(
                        "E0208",
                        location,
                        member.length(),
                        "several calls have this name, numbered from 0",
                        "say which, as in 'block[0].weight'");
            case Datum other ->
                throw session.failure("E0208", location, member.length(), other.kind() + " has no '" + member + "'");
        };
    }

    /** Calls are found by name where an attribute or index follows. */
    private Datum path(Expression target, Environment names) {
        Optional<Datum> call = target instanceof Expression.Name name ? names.findCall(name.text()) : Optional.empty();
        boolean variable = target instanceof Expression.Name name
                && names.find(name.text()).isPresent();
        return call.isPresent() && !variable ? call.get() : known(target, names);
    }

    private Datum named(Expression.Named named, Environment names) {
        return switch (named.target()) {
            case Expression.Call call -> session.calls().call(call, Optional.of(named.name()), names);
            case Expression.Name name -> session.calls().share(name, named.name(), names);
            case Expression other ->
                throw session.failure(
                        "E0204",
                        named.name().location(),
                        named.name().text().length(),
                        "only a call can be named",
                        "to name the value, write " + named.name() + " = …");
        };
    }

    /** Evaluates inside of a pin. */
    Datum pinned(Expression.Pinned pinned, Supplier<Datum> target) {
        if (pinned.pin() == Expression.Pin.RECOMPUTE) {
            return session.inRegion(1, pinned.location(), Span.of(pinned), target);
        }
        Datum value = target.get();
        pin(pinned.pin(), value, pinned.location(), pinned.pin().label().length());
        return value;
    }

    /** Marks a tensor, or every tensor of a tuple, to be kept or to be offloaded. */
    void pin(Expression.Pin pin, Datum value, Location location, int length) {
        switch (value) {
            case Datum.Tensor tensor -> pin(pin, tensor, location, length);
            case Datum.ListValue items -> items.elements().forEach(element -> pin(pin, element, location, length));
            case Datum other ->
                throw session.failure(
                        "E0302",
                        location,
                        length,
                        "only tensors are " + (pin == Expression.Pin.RETAIN ? "retained" : "offloaded") + ", not "
                                + other.kind());
        }
    }

    private void pin(Expression.Pin pin, Datum.Tensor tensor, Location location, int length) {
        ValuePin.Kind kind = pin == Expression.Pin.RETAIN ? ValuePin.Kind.RETAIN : ValuePin.Kind.OFFLOAD;
        session.graph().pin(tensor.id(), new ValuePin(kind, location)).ifPresent(other -> {
            throw session.failure(
                    "E0401",
                    location,
                    length,
                    "a value is retained or offloaded, not both; '"
                            + other.kind().label() + "' is at " + other.location());
        });
    }

    boolean condition(Expression condition, Environment names) {
        return switch (known(condition, names)) {
            case Datum.BoolValue flag -> flag.value();
            case Datum.Tensor tensor ->
                throw session.failure(
                        "E0302",
                        condition.location(),
                        Span.of(condition),
                        "a condition depends on no tensor",
                        "where(condition, x, y) chooses element by element");
            case Datum other ->
                throw session.failure(
                        "E0302",
                        condition.location(),
                        Span.of(condition),
                        "a condition is a bool, not " + other.kind());
        };
    }

    private Datum unary(Expression.Unary unary, Environment names) {
        Datum operand = known(unary.operand(), names);
        session.graph().at(unary.location(), names.instance());
        return session.guarded(
                unary.location(),
                Span.of(unary),
                names.instance(),
                () -> unary.operator() == UnaryOperator.NEGATE
                        ? Operators.negate(operand, session.graph())
                        : Operators.not(operand, session.graph()));
    }

    private Datum binary(Expression.Binary binary, Environment names) {
        Datum left = known(binary.left(), names);
        if (left instanceof Datum.BoolValue flag) {
            switch (binary.operator()) {
                case AND -> {
                    return flag.value() ? new Datum.BoolValue(condition(binary.right(), names)) : flag;
                }
                case OR -> {
                    return flag.value() ? flag : new Datum.BoolValue(condition(binary.right(), names));
                }
                default -> {}
            }
        }
        Datum right = known(binary.right(), names);
        session.graph().at(binary.location(), names.instance());
        Datum result = session.guarded(
                binary.location(),
                Span.of(binary),
                names.instance(),
                () -> Operators.binary(binary.operator(), left, right, session.graph()));
        if (result instanceof Datum.ListValue items) {
            session.spend(items.elements().size(), binary.location());
        }
        return result;
    }
}
