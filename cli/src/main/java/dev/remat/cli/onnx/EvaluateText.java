package dev.remat.cli.onnx;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.TrainingState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;

/** Evaluates a text once on the CPU. */
public final class EvaluateText {
    private EvaluateText() {}

    /** What went in and came out, by names in the text. */
    public record Result(SequencedMap<String, StoredTensor> inputs, SequencedMap<String, StoredTensor> outputs) {}

    /** What one evaluation may take besides the weights, where it is a check that nobody has asked for. */
    private static final long MOST_BYTES = 256L << 20;

    private static final long MOST_NANOS = 5_000_000_000L;

    /**
     * @param settings which bind every symbol
     * @param weights under the names of the text
     * @param inputs by name; those that are not there are drawn by a fixed seed
     */
    public static Result run(
            String text,
            ModelSettings settings,
            List<StoredTensor> weights,
            SequencedMap<String, StoredTensor> inputs) {
        return run(compiled(text, settings).plan(), weights, inputs);
    }

    /** The same on inputs that are drawn; empty if it would take long, or much memory. */
    static Optional<Result> ifSmall(String text, ModelSettings settings, List<StoredTensor> weights) {
        Compilation compilation = compiled(text, settings);
        long known = weights.stream().mapToLong(StoredTensor::byteSize).sum();
        boolean isSmall =
                compilation.plan().arenaBytes() - known <= MOST_BYTES && compilation.baselineCost() <= MOST_NANOS;
        return isSmall ? Optional.of(run(compilation.plan(), weights, new LinkedHashMap<>())) : Optional.empty();
    }

    private static Compilation compiled(String text, ModelSettings settings) {
        ModelText source = ModelText.of(new Source("model", text), IncludeResolver.NONE);
        ElaboratedModel model = ModelSession.of(source, settings).whole(Purpose.EVALUATE);
        CpuTarget target = new CpuTarget();
        return new Compiler(target, new RooflineCost(target.device())).compile(model, CompileOptions.defaults());
    }

    private static Result run(
            ExecutionPlan plan, List<StoredTensor> weights, SequencedMap<String, StoredTensor> inputs) {
        try (CpuExecutable executable = new CpuExecutable(plan, new CpuExecutable.Options(1, false));
                SyntheticDataset data = new SyntheticDataset()) {
            TrainingState state = new TrainingState(executable);
            Set<String> needed = state.names().collect(Collectors.toCollection(LinkedHashSet::new));
            List<StoredTensor> given = weights.stream()
                    .filter(weight -> needed.contains(weight.name()))
                    .toList();
            // Drawing numbers would take longer than all else, and what is imported has them all.
            if (given.size() < needed.size()) {
                state.initialize();
            }
            state.load(given);
            new InputFeed(executable, data.training(InputFeed.specs(plan), plan.seed())).feed(0, 1);
            SequencedMap<String, StoredTensor> fed = new LinkedHashMap<>();
            for (ArenaTensor input : plan.inputs()) {
                if (input.kind() == InputKind.DATA) {
                    if (inputs.containsKey(input.name())) {
                        executable.write(
                                input.offset(), inputs.get(input.name()).data());
                    }
                    fed.put(input.name(), read(executable, input.name(), input.type(), input.offset()));
                }
            }
            executable.run(1);
            SequencedMap<String, StoredTensor> outputs = new LinkedHashMap<>();
            for (PlanOutput output : plan.outputs()) {
                outputs.put(output.name(), read(executable, output.name(), output.type(), output.offset()));
            }
            return new Result(fed, outputs);
        }
    }

    private static StoredTensor read(CpuExecutable executable, String name, TensorType type, long offset) {
        MemorySegment copy = Arena.ofAuto().allocate(Math.max(type.bytes(), 1), Long.BYTES);
        copy = copy.asSlice(0, type.bytes()).copyFrom(executable.read(offset, type.bytes()));
        return new StoredTensor(
                name,
                StoredType.of(type.dtype()),
                Arrays.stream(type.shape().toArray()).boxed().toList(),
                copy);
    }
}
