package dev.remat;

import dev.remat.cli.device.CpuDevice;
import dev.remat.cli.device.Device;
import dev.remat.cli.option.BudgetConverter;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.trained.ReadEarlierRun;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelSource;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.runtime.checkpoint.Checkpoint;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A model with its settings: a value. What sets something gives another one, and any thread may use it. Settings are
 * checked when the model is planned.
 */
public final class Model {
    private final ModelSource source;
    private final ModelSettings settings;
    private final CompileOptions options;

    private Model(ModelSource source, ModelSettings settings, CompileOptions options) {
        this.source = source;
        this.settings = settings;
        this.options = options;
    }

    /**
     * Reads a model file with what it includes.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if it cannot be read or parsed
     */
    public static Model open(Path file) {
        ModelSource source = ModelText.file(file);
        // Nothing is read later, where another thread might do the same.
        source.files();
        return new Model(source, ModelSettings.NONE, CompileOptions.defaults());
    }

    /** With an extent of a symbol, or a value of a hyper-parameter as a model file writes it. */
    public Model with(String name, Object value) {
        return with(settings.with(name, value.toString()));
    }

    /**
     * With another precision of activations than the model's: {@code f32}, {@code bf16} or {@code f16} beside
     * parameters in f32; or {@code f64} for everything.
     *
     * @throws IllegalArgumentException if the text is none of these
     */
    public Model withPrecision(String dtype) {
        return with(settings.withPrecision(DType.findFloat(dtype)
                .orElseThrow(() -> new IllegalArgumentException("unknown precision '" + dtype + "'"))));
    }

    /** With another seed of initial values and random draws than the model's. */
    public Model withSeed(long seed) {
        return with(settings.withSeed(seed));
    }

    /** With each batch cut into so many parts of equal size, from 1. */
    public Model withMicroBatches(int parts) {
        return with(settings.cutInto(parts));
    }

    /**
     * To be planned so that the arena takes no more than a size such as {@code 6GiB}, what a device such as {@code
     * h100} has, or a percentage of what keeping everything takes.
     *
     * @throws IllegalArgumentException if the text is none of these
     */
    public Model withBudget(String budget) {
        return with(options.with(BudgetConverter.parse(budget)));
    }

    /**
     * To be planned by a strategy, such as {@code sqrt}; without one by {@code auto} within a budget, and else by
     * {@code keep-all}.
     *
     * @throws IllegalArgumentException if there is no strategy of that name
     */
    public Model withStrategy(String name) {
        return with(options.withStrategy(name));
    }

    /** To be planned in seconds, if not as well. */
    public Model planningQuickly() {
        return with(options.with(Effort.QUICK));
    }

    /**
     * With all that the run was given which wrote a checkpoint, where nothing else is set: symbols, hyper-parameters,
     * precision, seed and micro-batches.
     *
     * @throws dev.remat.runtime.io.CorruptFileException if it is damaged, or of another model
     */
    public Model asTrained(Path checkpoint) throws IOException {
        try (Checkpoint found = Checkpoint.open(checkpoint)) {
            return with(
                    settings.after(ReadEarlierRun.run(checkpoint, found.meta().run(), source)));
        }
    }

    private Model with(ModelSettings other) {
        return new Model(source, other, options);
    }

    private Model with(CompileOptions other) {
        return new Model(source, settings, other);
    }

    /**
     * Plans a training step for the processors of this machine.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if the model is wrong, or a setting does not suit it
     * @throws IllegalArgumentException if a symbol is left without a value
     * @throws dev.remat.compiler.search.BudgetException if no plan fits the budget
     */
    public Plan plan() {
        Device device = new CpuDevice();
        return new Plan(this, device, PlanOptions.compile(session().step(Purpose.TRAIN), options, device.target()));
    }

    ModelSession session() {
        return ModelSession.of(source, settings);
    }
}
