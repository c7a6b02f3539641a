package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Declaration;
import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.batch.Sums;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.training.Average;
import dev.remat.compiler.training.LossScaling;
import dev.remat.compiler.training.Objective;
import dev.remat.compiler.training.ParameterPattern;
import dev.remat.compiler.training.TrainingSpec;
import dev.remat.ir.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Reads {@code train { … }} with the names of the model in sight. */
public final class TrainingSettings {
    private final Session session;
    private final SettingReader reader;
    private final SettingTable settings;

    private TrainingSettings(Session session, SettingReader reader, SettingTable settings) {
        this.session = session;
        this.reader = reader;
        this.settings = settings;
    }

    /** Names of the settings that {@code train} and the blocks in it take. */
    public static List<String> names() {
        return SettingTable.Kind.names();
    }

    /** The specification; the losses become outputs of the graph. Empty if there are errors. */
    static Optional<TrainingSpec> read(Session session, Declaration.Train train, Environment names) {
        SettingReader reader = new SettingReader(session, train, names);
        SettingTable settings = SettingTable.of(reader, train.settings(), SettingTable.Kind.TRAIN);
        return new TrainingSettings(session, reader, settings).read();
    }

    private Optional<TrainingSpec> read() {
        ParameterPatterns patterns =
                new ParameterPatterns(session, reader, session.graph().parameters());
        List<ParameterPattern> frozen = new ArrayList<>();
        for (Setting setting : settings.all("freeze")) {
            reader.attempt(() -> patterns.read(setting)).ifPresent(frozen::addAll);
        }
        List<Objective> objectives = Objectives.read(session, reader, settings, patterns, frozen);
        Optional<Average> average = settings.find("average")
                .flatMap(setting -> reader.attempt(() -> Averages.read(reader, setting, patterns)));
        Optional<DType> precision = reader.attempt(() -> dtype("precision", "precision is"));
        Optional<DType> gradients = reader.attempt(() -> dtype("gradients", "gradients are"));
        Optional<LossScaling> scaling =
                settings.find("loss_scale").flatMap(setting -> reader.attempt(() -> LossScales.read(reader, setting)));
        Optional<Integer> microBatches = reader.attempt(this::microBatches);
        Optional<Sums> sums = reader.attempt(this::sums);
        Optional<Long> seed = reader.attempt(this::seed);
        return session.diagnostics().hasErrors()
                ? Optional.empty()
                : Optional.of(new TrainingSpec(
                        objectives,
                        frozen,
                        average,
                        precision.orElseThrow(),
                        scaling,
                        microBatches.orElseThrow(),
                        MicroBatchOrder.DEPTH,
                        sums.orElseThrow(),
                        gradients.orElseThrow(),
                        seed.orElseThrow()));
    }

    /** The type that a setting names, f32 unless it is given; messages begin with what it is of. */
    private DType dtype(String name, String what) {
        Optional<Setting> setting = settings.find(name);
        if (setting.isEmpty()) {
            return DType.F32;
        }
        if (reader.value(setting.get()) instanceof Datum.DTypeValue type
                && List.of(DType.F32, DType.BF16, DType.F16).contains(type.value())) {
            return type.value();
        }
        throw reader.failure(SettingReader.expression(setting.get()), what + " f32, bf16 or f16");
    }

    private int microBatches() {
        Optional<Setting> setting = settings.find("micro_batches");
        if (setting.isEmpty()) {
            return 1;
        }
        long count = integer(setting.get(), "micro_batches is an integer");
        if (count < 1 || count > Integer.MAX_VALUE) {
            String range = count < 1 ? "1 or more" : "at most " + Integer.MAX_VALUE;
            throw reader.failure(
                    SettingReader.expression(setting.get()), "micro_batches must be " + range + ", and is " + count);
        }
        return (int) count;
    }

    private Sums sums() {
        Optional<Expression> given = settings.find("sums").map(SettingReader::expression);
        return given.isEmpty()
                ? Sums.BY_MICRO_BATCH
                : given.filter(Expression.Name.class::isInstance)
                        .map(name -> ((Expression.Name) name).text())
                        .flatMap(text -> Arrays.stream(Sums.values())
                                .filter(each -> each.toString().equals(text))
                                .findFirst())
                        .orElseThrow(() -> reader.failure(given.get(), "sums is by_micro_batch or by_use"));
    }

    private long seed() {
        return settings.find("seed")
                .map(setting -> integer(setting, "a seed is an integer"))
                .orElse(0L);
    }

    private long integer(Setting setting, String otherwise) {
        Expression expression = SettingReader.expression(setting);
        if (reader.value(setting) instanceof Datum.IntValue integer) {
            return reader.about(expression, () -> Numbers.known(integer.value()));
        }
        throw reader.failure(expression, otherwise);
    }
}
