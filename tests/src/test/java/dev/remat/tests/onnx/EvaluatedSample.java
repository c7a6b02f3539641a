package dev.remat.tests.onnx;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.forward.ForwardValues;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.onnx.OnnxWeight;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
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
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What a model's evaluation took and gave.
 *
 * @param inputs batch tensors by name
 * @param outputs by name
 */
record EvaluatedSample(
        ElaboratedModel model, List<StoredTensor> weights, List<StoredTensor> inputs, List<StoredTensor> outputs) {
    /**
     * Evaluates with parameters away from their initial values, many of which are 0 or 1.
     *
     * @param session with every symbol bound
     * @param outputs names of values that are wanted besides the model's outputs
     */
    static EvaluatedSample of(ModelSession session, List<String> outputs) {
        ElaboratedModel model = ForwardValues.asOutputs(session.whole(Purpose.EVALUATE), outputs, "--outputs");
        CpuTarget target = new CpuTarget();
        ExecutionPlan plan = new Compiler(target, new RooflineCost(target.device()))
                .compile(model, CompileOptions.defaults())
                .plan();
        try (CpuExecutable executable = new CpuExecutable(plan, new CpuExecutable.Options(1, false));
                SyntheticDataset data = new SyntheticDataset()) {
            TrainingState state = new TrainingState(executable);
            state.initialize();
            List<StoredTensor> weights =
                    state.tensors().stream().map(EvaluatedSample::moved).toList();
            state.load(weights);
            new InputFeed(executable, data.training(InputFeed.specs(plan), plan.seed())).feed(0, 1);
            List<StoredTensor> inputs = new ArrayList<>();
            for (ArenaTensor input : plan.inputs()) {
                if (input.kind() == InputKind.DATA) {
                    inputs.add(stored(executable, input.name(), input.type(), input.offset()));
                }
            }
            executable.run(1);
            return new EvaluatedSample(
                    model,
                    weights,
                    inputs,
                    plan.outputs().stream()
                            .map(output -> stored(executable, output.name(), output.type(), output.offset()))
                            .toList());
        }
    }

    private static StoredTensor stored(CpuExecutable executable, String name, TensorType type, long offset) {
        List<Long> shape = new ArrayList<>();
        for (long extent : type.shape().toArray()) {
            shape.add(extent);
        }
        MemorySegment copy = Arena.ofAuto().allocate(Math.max(type.bytes(), 1), Long.BYTES);
        copy = copy.asSlice(0, type.bytes()).copyFrom(executable.read(offset, type.bytes()));
        return new StoredTensor(name, StoredType.of(type.dtype()), shape, copy);
    }

    private static StoredTensor moved(StoredTensor tensor) {
        MemorySegment copy = Arena.ofAuto().allocate(Math.max(tensor.byteSize(), 1), Long.BYTES);
        copy = copy.asSlice(0, tensor.byteSize()).copyFrom(tensor.data());
        if (tensor.type() == StoredType.F32) {
            Random random = new Random(tensor.name().hashCode());
            for (long i = 0; i < tensor.elements(); i++) {
                float before = copy.getAtIndex(ValueLayout.JAVA_FLOAT, i);
                float step = 0.1f * (float) random.nextGaussian();
                boolean variance = tensor.name().endsWith("running_var");
                copy.setAtIndex(ValueLayout.JAVA_FLOAT, i, before + (variance ? Math.abs(step) : step));
            }
        }
        return new StoredTensor(tensor.name(), tensor.type(), tensor.shape(), copy);
    }

    /** The weights as a model of ONNX has them inside, averages for what they are averages of. */
    List<OnnxWeight> onnxWeights() {
        return weights.stream()
                .map(tensor -> new OnnxWeight(
                        ExecutionPlan.averagedBy(tensor.name()),
                        tensor.type().dtype().orElseThrow(),
                        tensor.shape(),
                        new OnnxWeight.Inside(sink -> tensor.stream(piece -> sink.take(piece.asByteBuffer())))))
                .toList();
    }

    /** Everything that an exported graph could ask for. */
    Map<String, StoredTensor> known() {
        Map<String, StoredTensor> known = new LinkedHashMap<>();
        inputs.forEach(tensor -> known.put(tensor.name(), tensor));
        outputs.forEach(tensor -> known.putIfAbsent(tensor.name(), tensor));
        return known;
    }
}
