package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.ast.Span;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.training.GradientClip;
import dev.remat.compiler.training.Objective;
import dev.remat.compiler.training.ParameterGroup;
import dev.remat.compiler.training.ParameterPattern;
import dev.remat.compiler.training.UpdateRule;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.op.LearningRateSchedule;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads what is minimised, and which parameters each loss trains and how. */
final class Objectives {
    private final Session session;
    private final SettingReader reader;
    private final SettingTable train;
    private final ParameterPatterns patterns;
    private final List<ParameterPattern> frozen;
    private final Set<ValueId> minimised = new LinkedHashSet<>();

    private Objectives(
            Session session,
            SettingReader reader,
            SettingTable train,
            ParameterPatterns patterns,
            List<ParameterPattern> frozen) {
        this.session = session;
        this.reader = reader;
        this.train = train;
        this.patterns = patterns;
        this.frozen = frozen;
    }

    /** The objectives in the order of the text; each loss becomes an output. Incomplete if there are errors. */
    static List<Objective> read(
            Session session,
            SettingReader reader,
            SettingTable train,
            ParameterPatterns patterns,
            List<ParameterPattern> frozen) {
        return new Objectives(session, reader, train, patterns, frozen).read();
    }

    private List<Objective> read() {
        List<Setting> losses = train.all("minimize");
        if (losses.isEmpty()) {
            reader.attempt(() -> {
                throw missing("minimize", "minimize loss");
            });
        }
        List<Objective> objectives = new ArrayList<>();
        for (Setting loss : losses) {
            reader.attempt(() -> objective(loss, losses)).ifPresent(objectives::add);
        }
        if (objectives.size() == losses.size() && !session.diagnostics().hasErrors()) {
            reader.attempt(() -> requireOneEach(objectives, losses));
            checkOptimizers(objectives);
        }
        return objectives;
    }

    private ElaborationAborted missing(String name, String example) {
        return reader.failure("E0402", "the train block misses '" + name + "'", "such as '" + example + "'");
    }

    private Objective objective(Setting loss, List<Setting> losses) {
        String output = output(loss);
        SettingTable own = loss.details()
                .map(details -> SettingTable.of(reader, details, SettingTable.Kind.LOSS))
                .orElseGet(SettingTable::empty);
        Setting optimizer = own.find("optimizer")
                .or(() -> train.find("optimizer"))
                .orElseThrow(() -> missing("optimizer", "optimizer adamw(lr = 3e-4)"));
        Optional<Setting> schedule = own.find("schedule").or(() -> train.find("schedule"));
        Update otherwise = update(optimizer, schedule);
        Optional<Setting> parameters = own.find("parameters");
        if (parameters.isEmpty() && losses.size() > 1) {
            throw session.failure(
                    "E0405",
                    loss.name().location(),
                    loss.name().text().length(),
                    "of several losses each says which parameters it trains",
                    "such as: minimize loss { parameters \"generator.*\" }");
        }
        List<ParameterPattern> trained = parameters.map(patterns::read).orElse(List.of(ParameterPattern.ALL));
        List<ParameterGroup> groups = new ArrayList<>();
        for (SettingTable around : List.of(train, own)) {
            for (Setting group : around.all("group")) {
                reader.attempt(() -> group(group, optimizer, schedule)).ifPresent(groups::add);
            }
        }
        return new Objective(output, trained, groups, otherwise.rule(), otherwise.clip());
    }

    private record Update(UpdateRule rule, Optional<GradientClip> clip) {}

    /** Reads both settings, so that mistakes in both are reported. */
    private Update update(Setting optimizer, Optional<Setting> schedule) {
        Optional<Optimizers.Chosen> chosen =
                reader.attempt(() -> session.optimizers().read(reader, optimizer));
        double rate = chosen.map(Optimizers.Chosen::rate).orElse(1.0);
        LearningRateSchedule rates = LearningRateSchedules.read(reader, schedule, rate);
        return chosen.map(given -> new Update(new UpdateRule(given.optimizer(), rates), given.clip()))
                .orElseThrow(ElaborationAborted::reportedBefore);
    }

    /** What a group does not say is as for the other parameters of the loss. */
    private ParameterGroup group(Setting group, Setting optimizer, Optional<Setting> schedule) {
        List<ParameterPattern> members = patterns.read(group);
        SettingTable own = group.details()
                .map(details -> SettingTable.of(reader, details, SettingTable.Kind.GROUP))
                .orElseThrow(() -> reader.failure(
                        group.name(), "'group' misses its settings", "such as { optimizer sgd(lr = 0.1) }"));
        Optional<Setting> other = own.find("optimizer");
        Optional<Setting> changing = own.find("schedule").or(() -> schedule);
        Update update = update(other.orElse(optimizer), changing);
        if (other.isPresent() && update.clip().isPresent()) {
            throw reader.failure(
                    SettingReader.expression(other.get()),
                    "a group has no clip_norm",
                    "it bounds all gradients of a loss together: give it to the optimizer outside the group");
        }
        return new ParameterGroup(members, update.rule());
    }

    /** The output that the loss becomes. */
    private String output(Setting minimize) {
        Expression expression = SettingReader.expression(minimize);
        ValueId loss = scalar(expression, reader.value(minimize));
        if (!minimised.add(loss)) {
            throw reader.failure(expression, "this is minimised already");
        }
        if (minimised.size() == 1) {
            session.statements().declarations().output(ExecutionPlan.LOSS, loss, expression);
            return ExecutionPlan.LOSS;
        }
        if (!(expression instanceof Expression.Name name)) {
            throw reader.failure(expression, "a further loss goes by its name, so it is a variable");
        }
        String output = ExecutionPlan.furtherLoss(name.text());
        session.statements().declarations().output(output, loss, expression);
        return output;
    }

    private ValueId scalar(Expression expression, Datum value) {
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
        return ((Datum.Tensor) value).id();
    }

    /** What optimizers of the model's own say is tried on every type of parameter. */
    private void checkOptimizers(List<Objective> objectives) {
        for (String parameter : patterns.parameters()) {
            objectives.stream()
                    .filter(objective -> objective.trains(parameter))
                    .map(objective -> objective.rule(parameter).optimizer())
                    .findFirst()
                    .ifPresent(optimizer -> session.optimizers()
                            .check(optimizer, session.graph().parameterType(parameter)));
        }
    }

    /** Every parameter is trained by one loss or frozen. */
    private Boolean requireOneEach(List<Objective> objectives, List<Setting> losses) {
        for (String parameter : patterns.parameters()) {
            List<Integer> by = new ArrayList<>();
            for (int i = 0; i < objectives.size(); i++) {
                if (objectives.get(i).trains(parameter)) {
                    by.add(i);
                }
            }
            boolean isFrozen = frozen.stream().anyMatch(pattern -> pattern.matches(parameter));
            if (by.isEmpty() && !isFrozen) {
                throw reader.failure(
                        "E0405",
                        "no loss trains '" + parameter + "'",
                        "list it under 'parameters', or: freeze \"" + parameter + "\"");
            }
            if (by.size() > 1 && !isFrozen) {
                Setting first = losses.get(by.get(0));
                Setting second = losses.get(by.get(1));
                throw session.failure(
                        "E0405",
                        second.name().location(),
                        second.name().text().length(),
                        "'" + parameter + "' is trained by two losses, " + text(first) + " and " + text(second),
                        "a parameter has one gradient: add the losses, or train it by one of them");
            }
        }
        return true;
    }

    private static String text(Setting loss) {
        return SettingReader.expression(loss) instanceof Expression.Name name ? "'" + name.text() + "'" : "the first";
    }
}
