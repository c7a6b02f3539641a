package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Declaration;
import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Identifier;
import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Signature;
import dev.remat.compiler.elaborate.Functions.GivenArgument;
import dev.remat.compiler.error.Suggestion;
import dev.remat.compiler.training.TrainingSpec;
import dev.remat.ir.DType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.op.LearningRateSchedule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Supplier;

/** Reads {@code train { … }} with the names of the model in sight. */
final class TrainingSettings {
    private static final List<String> NAMES = List.of("minimize", "optimizer", "schedule", "precision", "seed");

    private final Session session;
    private final Declaration.Train train;
    private final Environment names;
    private final Map<String, Setting> settings = new LinkedHashMap<>();

    private TrainingSettings(Session session, Declaration.Train train, Environment names) {
        this.session = session;
        this.train = train;
        this.names = names;
    }

    /** The specification; the loss becomes an output of the graph. Empty if there are errors. */
    static Optional<TrainingSpec> read(Session session, Declaration.Train train, Environment names) {
        return new TrainingSettings(session, train, names).read();
    }

    private Optional<TrainingSpec> read() {
        for (Setting setting : train.settings()) {
            attempt(() -> collect(setting));
        }
        attempt(this::loss);
        Optional<Optimizers.Chosen> optimizer = attempt(() -> Optimizers.read(this));
        Optional<LearningRateSchedule> schedule = attempt(() -> LearningRateSchedules.read(
                this, optimizer.map(Optimizers.Chosen::rate).orElse(1.0)));
        Optional<DType> precision = attempt(this::precision);
        Optional<Long> seed = attempt(this::seed);
        if (session.diagnostics().hasErrors()) {
            return Optional.empty();
        }
        return optimizer.map(chosen -> new TrainingSpec(
                chosen.optimizer(),
                schedule.orElseThrow(),
                chosen.clipNorm(),
                precision.orElseThrow(),
                seed.orElseThrow()));
    }

    private <T> Optional<T> attempt(Supplier<T> action) {
        try {
            return Optional.of(action.get());
        } catch (ElaborationAborted failure) {
            session.report(failure);
            return Optional.empty();
        }
    }

    private Setting collect(Setting setting) {
        Identifier name = setting.name();
        if (!NAMES.contains(name.text())) {
            throw failure(
                    name,
                    "unknown setting '" + name + "'",
                    Suggestion.note(name.text(), NAMES).orElse("there are " + String.join(", ", NAMES)));
        }
        if (settings.containsKey(name.text())) {
            throw failure(name, "'" + name + "' is set twice");
        }
        if (setting.value().isEmpty()) {
            throw failure(name, "'" + name + "' misses its value");
        }
        settings.put(name.text(), setting);
        return setting;
    }

    private ValueId loss() {
        Setting minimize = required("minimize", "minimize loss");
        Expression expression = minimize.value().orElseThrow();
        Datum value = session.expressions().known(expression, names);
        boolean scalar = value instanceof Datum.Tensor tensor
                && session.graph().type(tensor.id()).rank() == 0
                && session.graph().type(tensor.id()).dtype().isFloat();
        if (!scalar) {
            String found = value instanceof Datum.Tensor tensor
                    ? session.graph().type(tensor.id()).toString()
                    : value.kind();
            throw session.failure(
                    "E0403",
                    expression.location(),
                    Span.of(expression),
                    "what is minimised is a floating point scalar, not " + found,
                    "mean(x) gives one");
        }
        ValueId loss = ((Datum.Tensor) value).id();
        session.statements().declarations().loss(loss);
        return loss;
    }

    private DType precision() {
        Setting setting = settings.get("precision");
        if (setting == null) {
            return DType.F32;
        }
        Expression expression = setting.value().orElseThrow();
        Datum value = session.expressions().known(expression, names);
        if (value instanceof Datum.DTypeValue type
                && List.of(DType.F32, DType.BF16, DType.F16).contains(type.value())) {
            return type.value();
        }
        throw session.failure("E0402", expression.location(), Span.of(expression), "precision is f32, bf16 or f16");
    }

    private long seed() {
        Setting setting = settings.get("seed");
        if (setting == null) {
            return 0;
        }
        Expression expression = setting.value().orElseThrow();
        Datum value = session.expressions().known(expression, names);
        if (value instanceof Datum.IntValue seed) {
            return session.guarded(
                    expression.location(), Span.of(expression), names.instance(), () -> Numbers.known(seed.value()));
        }
        throw session.failure("E0402", expression.location(), Span.of(expression), "a seed is an integer");
    }

    Setting required(String name, String example) {
        Setting setting = settings.get(name);
        if (setting == null) {
            throw session.failure(
                    "E0402",
                    train.location(),
                    "train".length(),
                    "the train block misses '" + name + "'",
                    "such as '" + example + "'");
        }
        return setting;
    }

    Optional<Setting> optional(String name) {
        return Optional.ofNullable(settings.get(name));
    }

    /** A choice from a table and its arguments: {@code adamw(lr = 3e-4)}, or {@code constant} alone. */
    record Choice(String name, Location location, Arguments arguments) {}

    /** @param table signatures by name */
    Choice choice(Setting setting, SequencedMap<String, Signature> table) {
        Expression expression = setting.value().orElseThrow();
        Expression head = expression instanceof Expression.Call call ? call.callee() : expression;
        if (!(head instanceof Expression.Name name) || !table.containsKey(name.text())) {
            String written = head instanceof Expression.Name name ? "'" + name.text() + "'" : "this";
            List<String> known = List.copyOf(table.sequencedKeySet());
            Optional<String> suggestion =
                    head instanceof Expression.Name name ? Suggestion.note(name.text(), known) : Optional.empty();
            throw session.failure(
                    "E0402",
                    head.location(),
                    Span.of(head),
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
        return session.guarded(choice.location(), choice.name().length(), names.instance(), () -> {
            try {
                return action.get();
            } catch (IllegalArgumentException e) {
                throw new SemanticError("E0402", e.getMessage());
            }
        });
    }

    private ElaborationAborted failure(Identifier name, String message, String... notes) {
        return session.failure("E0402", name.location(), name.text().length(), message, notes);
    }
}
