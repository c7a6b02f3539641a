package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Declaration;
import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Identifier;
import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.ast.Span;
import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Signature;
import dev.remat.compiler.elaborate.Functions.GivenArgument;
import dev.remat.compiler.error.Suggestion;
import dev.remat.ir.diagnostic.Location;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Supplier;

/** Evaluates the values of settings with the names of the model in sight, and says what is wrong with them. */
final class SettingReader {
    private final Session session;
    private final Declaration.Train train;
    private final Environment names;

    SettingReader(Session session, Declaration.Train train, Environment names) {
        this.session = session;
        this.train = train;
        this.names = names;
    }

    /** Runs {@code action}; empty where it fails, which is reported. */
    <T> Optional<T> attempt(Supplier<T> action) {
        try {
            return Optional.of(action.get());
        } catch (ElaborationAborted failure) {
            session.report(failure);
            return Optional.empty();
        }
    }

    /** The value of a setting that {@link SettingTable} has let in. */
    Datum value(Setting setting) {
        return session.expressions().known(expression(setting), names);
    }

    static Expression expression(Setting setting) {
        return setting.value().orElseThrow();
    }

    /** A choice from a table and its arguments: {@code adamw(lr = 3e-4)}, or {@code constant} alone. */
    record Choice(String name, Location location, Arguments arguments) {}

    /** @param table signatures by name */
    Choice choice(Setting setting, SequencedMap<String, Signature> table) {
        Expression expression = expression(setting);
        Expression head = expression instanceof Expression.Call call ? call.callee() : expression;
        if (!(head instanceof Expression.Name name) || !table.containsKey(name.text())) {
            String written = head instanceof Expression.Name name ? "'" + name.text() + "'" : "this";
            List<String> known = List.copyOf(table.sequencedKeySet());
            Optional<String> suggestion =
                    head instanceof Expression.Name name ? Suggestion.note(name.text(), known) : Optional.empty();
            throw failure(
                    head,
                    written + " is no " + setting.name(),
                    suggestion.orElse("there are " + String.join(", ", known)));
        }
        List<GivenArgument> given = new ArrayList<>();
        if (expression instanceof Expression.Call call) {
            call.arguments()
                    .forEach(argument -> given.add(new GivenArgument(
                            argument.name(),
                            session.expressions().known(argument.value(), names),
                            argument.value().location())));
        }
        CallEvaluator.CallSite site = new CallEvaluator.CallSite(
                name.location(), name.text().length(), Optional.of(name.text()), Optional.empty());
        SequencedMap<String, Datum> values = new LinkedHashMap<>();
        session.calls()
                .bind(name.text(), table.get(name.text()).names(), given, site)
                .forEach((key, argument) -> values.put(key, argument.value()));
        return new Choice(
                name.text(),
                name.location(),
                session.guarded(
                        name.location(),
                        name.text().length(),
                        names.instance(),
                        () -> Arguments.of(name.text(), table.get(name.text()), values)));
    }

    /** Runs {@code action}, whose refusals are about {@code choice}. */
    <T> T about(Choice choice, Supplier<T> action) {
        return about(choice.location(), choice.name().length(), action);
    }

    /** Runs {@code action}, whose refusals are about {@code expression}. */
    <T> T about(Expression expression, Supplier<T> action) {
        return about(expression.location(), Span.of(expression), action);
    }

    private <T> T about(Location location, int length, Supplier<T> action) {
        return session.guarded(location, length, names.instance(), () -> {
            try {
                return action.get();
            } catch (IllegalArgumentException e) {
                throw new SemanticError("E0402", e.getMessage());
            }
        });
    }

    ElaborationAborted failure(Identifier name, String message, String... notes) {
        return session.failure("E0402", name.location(), name.text().length(), message, notes);
    }

    ElaborationAborted failure(Expression expression, String message, String... notes) {
        return session.failure("E0402", expression.location(), Span.of(expression), message, notes);
    }

    /** About the whole block. */
    ElaborationAborted failure(String code, String message, String... notes) {
        return session.failure(code, train.location(), "train".length(), message, notes);
    }
}
