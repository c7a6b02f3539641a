package dev.remat.tests.cuda;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Records steps of a model on the CPU, to be held against a GPU: {@code RecordSteps MODEL SETTINGS PRECISION
 * MICRO_BATCHES STEPS FILE}.
 */
public final class RecordSteps {
    private RecordSteps() {}

    public static void main(String[] args) throws IOException {
        ElaboratedModel model = elaborate(Path.of(args[0]), args[1], DType.ofLabel(args[2]), Integer.parseInt(args[3]));
        run(model, Integer.parseInt(args[4]), Path.of(args[5]));
    }

    /** A model to be trained at these settings, its batch cut into so many parts. */
    public static ElaboratedModel elaborate(Path model, String settings, DType precision, int microBatches)
            throws IOException {
        ModelSettings set = ModelSettings.of(Bindings.parse(List.of(settings)))
                .withPrecision(precision)
                .cutInto(microBatches);
        return ModelSession.of(ModelText.file(model), set).step(Purpose.TRAIN);
    }

    /** Writes to {@code file} what {@code steps} steps of a model make of its state. */
    public static void run(ElaboratedModel model, int steps, Path file) throws IOException {
        CpuTarget target = new CpuTarget();
        ExecutionPlan plan = new Compiler(target, new RooflineCost(target.device()))
                .compile(model, CompileOptions.defaults())
                .plan();
        try (CpuExecutable executable = new CpuExecutable(plan)) {
            Recording.write(executable, steps, file);
        }
    }
}
