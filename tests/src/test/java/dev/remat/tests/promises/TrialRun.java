package dev.remat.tests.promises;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.syntax.FolderIncludes;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.GradientEvaluation;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.StepResult;
import dev.remat.runtime.train.Trainer;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Compiles model texts and trains them for a few steps. */
public final class TrialRun {
    /** What a run left behind. */
    record Outcome(Compilation compilation, List<Double> losses, String stateHash, long highWaterBytes) {}

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    private TrialRun() {}

    /** The text of {@code samples/<name>.model}. */
    public static String sample(String name) throws IOException {
        return Files.readString(ROOT.resolve("samples").resolve(name + ".model"));
    }

    static Compilation compile(String text, String settings, String strategy) {
        return compile(text, settings, CompileOptions.defaults().withStrategy(strategy));
    }

    static Compilation compile(String text, String settings, CompileOptions options) {
        return compile(text, settings, Purpose.TRAIN, options);
    }

    static Compilation compile(String text, String settings, Purpose purpose, CompileOptions options) {
        return compile(elaborate(text, settings, purpose), options);
    }

    static ElaboratedModel elaborate(String text, String settings, Purpose purpose) {
        return session(text, settings).open(purpose);
    }

    /** The model with its symbols and hyper-parameters set. */
    public static ModelSession session(String text, String settings) {
        Path file = Path.of("trial.model");
        return ModelSession.of(
                ModelText.of(new Source(file.toString(), text), new FolderIncludes(file)),
                ModelSettings.of(Bindings.parse(List.of(settings))));
    }

    /** The model with its batch cut, in a precision. */
    public static ElaboratedModel cut(
            String text, String settings, Purpose purpose, int microBatches, DType precision) {
        ModelSession model = session(text, settings);
        return model.with(model.settings().withPrecision(precision).cutInto(microBatches))
                .step(purpose);
    }

    public static Compilation compile(ElaboratedModel model, CompileOptions options) {
        CpuTarget target = new CpuTarget();
        return new Compiler(target, new RooflineCost(target.device())).compile(model, options);
    }

    static Outcome train(Compilation compilation, int steps, int threads, boolean poison) {
        var options = new CpuExecutable.Options(threads, poison);
        try (CpuExecutable executable = new CpuExecutable(compilation.plan(), options);
                SyntheticDataset data = new SyntheticDataset()) {
            var plan = compilation.plan();
            Trainer trainer = new Trainer(executable, data.training(InputFeed.specs(plan), plan.seed()));
            List<Double> losses = new ArrayList<>();
            long highWater = 0;
            for (int i = 0; i < steps; i++) {
                StepResult step = trainer.step();
                losses.add(step.loss());
                highWater = step.highWaterBytes();
            }
            return new Outcome(compilation, losses, trainer.state().hash(), highWater);
        }
    }

    /** Outputs of the first step of a plan for gradients, by name; freed memory is poisoned. */
    static Map<String, ByteBuffer> outputs(Compilation compilation, int threads) {
        return outputs(compilation, threads, 0);
    }

    /** @param batch that the step is of, from 0 */
    static Map<String, ByteBuffer> outputs(Compilation compilation, int threads, long batch) {
        ExecutionPlan plan = compilation.plan();
        try (SyntheticDataset data = new SyntheticDataset()) {
            return outputs(compilation, threads, data.training(InputFeed.specs(plan), plan.seed()), batch);
        }
    }

    /** The same of other data. */
    static Map<String, ByteBuffer> outputs(Compilation compilation, int threads, BatchSource data, long batch) {
        ExecutionPlan plan = compilation.plan();
        Map<String, ByteBuffer> outputs = new LinkedHashMap<>();
        try (CpuExecutable executable = new CpuExecutable(plan, new CpuExecutable.Options(threads, true))) {
            GradientEvaluation evaluation = new GradientEvaluation(executable);
            evaluation.load(data, batch);
            evaluation.run(1);
            for (StoredTensor output : evaluation.outputs()) {
                outputs.put(output.name(), ByteBuffer.wrap(output.data().toArray(ValueLayout.JAVA_BYTE)));
            }
        }
        return outputs;
    }
}
