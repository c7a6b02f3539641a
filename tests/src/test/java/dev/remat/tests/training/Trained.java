package dev.remat.tests.training;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.train.StepResult;
import dev.remat.runtime.train.Trainer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What training a model text on the CPU left, everything computed in f64.
 *
 * @param state parameters and optimizer state by name
 */
record Trained(List<StepResult> steps, Map<String, double[]> state) {
    /** An input's elements are {@code base + element + step / 10}, the step counting from 0. */
    static Trained run(String text, int steps) {
        return run(text, steps, (step, element) -> 1 + element + step / 10.0);
    }

    /** What an element of every input is. */
    @FunctionalInterface
    interface Data {
        double at(long step, int element);
    }

    static Trained run(String text, int steps, Data data) {
        return run(compile(text, "keep-all"), steps, data);
    }

    static Trained run(Compilation compilation, int steps, Data data) {
        try (CpuExecutable executable = new CpuExecutable(compilation.plan(), new CpuExecutable.Options(1, true))) {
            Trainer trainer = new Trainer(executable, batches(data));
            List<StepResult> results = new ArrayList<>();
            for (int i = 0; i < steps; i++) {
                results.add(trainer.step());
            }
            Map<String, double[]> state = new LinkedHashMap<>();
            for (StoredTensor tensor : trainer.state().tensors()) {
                boolean real = tensor.type().dtype().orElseThrow() == DType.F64;
                state.put(tensor.name(), real ? tensor.data().toArray(ValueLayout.JAVA_DOUBLE) : new double[0]);
            }
            return new Trained(results, state);
        }
    }

    static Compilation compile(String text, String strategy) {
        return compile(elaborate(text, Purpose.TRAIN), CompileOptions.defaults().withStrategy(strategy));
    }

    static ElaboratedModel elaborate(String text, Purpose purpose) {
        return Elaborator.elaborate(
                        ModelParser.parse(new Source("trial.model", text), IncludeResolver.NONE),
                        Bindings.NONE,
                        purpose)
                .withPrecision(DType.F64);
    }

    static Compilation compile(ElaboratedModel model, CompileOptions options) {
        CpuTarget target = new CpuTarget();
        return new Compiler(target, new RooflineCost(target.device())).compile(model, options);
    }

    private static BatchSource batches(Data data) {
        return new BatchSource() {
            @Override
            public long batchesPerEpoch() {
                return 1;
            }

            @Override
            public void fill(long step, InputSpec input, MemorySegment target) {
                for (int i = 0; i < target.byteSize() / Double.BYTES; i++) {
                    target.setAtIndex(ValueLayout.JAVA_DOUBLE, i, data.at(step, i));
                }
            }
        };
    }

    /** The single element of a tensor. */
    double value(String name) {
        return state.get(name)[0];
    }
}
