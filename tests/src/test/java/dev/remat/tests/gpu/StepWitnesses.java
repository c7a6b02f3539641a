package dev.remat.tests.gpu;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.tests.cuda.CpuTraining;
import dev.remat.tests.cuda.NudgeParameters;
import dev.remat.tests.cuda.TrainingTrace;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.TensorBytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;

/**
 * What training gives on the CPU, and how far other roundings lead away from that, result by result. Some results are
 * nothing but rounding, such as a key's bias, whose gradient is zero and which Adam moves all the same; and through
 * normalizations over few elements errors grow from step to step. So the same steps are run in a finer precision, and
 * from parameters that are a little off: a card may be a few times as far away as the farthest of these. Single
 * elements of a parameter have gradients next to zero, whose sign is chance, and go a whole step of Adam's either way:
 * a few of them do not count, but do in its moments.
 */
final class StepWitnesses {
    static final String LOSS = ExecutionPlan.LOSS + ".";
    /** What follows is the name of a result, whose rounding this is: of the norm of what the CPU gave. */
    static final String ROUNDING = "rounding/";

    static final int STEPS = 4;
    private static final int NUDGED = 4;

    static final TensorType NUMBER = TensorType.of(DType.F64, 1);

    private StepWitnesses() {}

    /** A loss, or elements of a tensor of the state. */
    record Result(Tensor sample, boolean isParameter) {
        private static final int SOME = 64;
        private static final int FEW = 8;

        /** How far another is from this one, of its norm. */
        double relative(Result other) {
            int elements = sample.data().length;
            int passed = isParameter && elements >= FEW ? Math.ceilDiv(elements, SOME) : 0;
            return Nearness.relative(sample.data(), other.sample.data(), passed);
        }
    }

    /** The name of a tensor of the state after a step. */
    static String after(int step, String tensor) {
        return "after." + step + "/" + tensor;
    }

    /**
     * Trains, again and again.
     *
     * @param precision of the model
     * @param parameters their names
     * @return losses of all steps, samples of the state after the first step, when no error has grown yet, and after
     *     the last, and of all of them what rounding does
     */
    static SequencedMap<String, byte[]> record(ElaboratedModel model, DType precision, Set<String> parameters) {
        SequencedMap<String, Result> results = results(CpuTraining.trace(model, STEPS, _ -> {}), parameters);
        List<TrainingTrace> witnesses = new ArrayList<>();
        DType finer = precision == DType.F32 ? DType.F64 : DType.F32;
        witnesses.add(CpuTraining.trace(model.withPrecision(finer), STEPS, _ -> {}));
        for (int seed = 1; seed <= NUDGED; seed++) {
            witnesses.add(CpuTraining.trace(model, STEPS, new NudgeParameters(nudge(precision), seed)));
        }
        Map<String, Double> rounding = new LinkedHashMap<>();
        for (TrainingTrace witness : witnesses) {
            results(witness, parameters)
                    .forEach((name, other) ->
                            rounding.merge(name, results.get(name).relative(other), Math::max));
        }
        SequencedMap<String, byte[]> recorded = new LinkedHashMap<>();
        results.forEach((name, result) -> {
            recorded.put(name, bytes(result.sample));
            recorded.put(ROUNDING + name, bytes(Tensor.of(NUMBER, rounding.get(name))));
        });
        return recorded;
    }

    /** Some roundings of f32. Of 16 bits less than one, which turns every fourth rounding of a parameter. */
    private static double nudge(DType precision) {
        return switch (precision) {
            case F32 -> 0x1p-21;
            case BF16 -> 0x1p-10;
            case F16 -> 0x1p-13;
            case F64, I32, I64, BOOL, BIT, SEED -> throw new IllegalArgumentException("steps in " + precision);
        };
    }

    private static SequencedMap<String, Result> results(TrainingTrace trace, Set<String> parameters) {
        SequencedMap<String, Result> results = new LinkedHashMap<>();
        for (int step = 1; step <= STEPS; step++) {
            Tensor loss = Tensor.of(NUMBER, trace.losses().get(step - 1));
            results.put(LOSS + step, new Result(loss, false));
            if (step == 1 || step == STEPS) {
                for (Map.Entry<String, Tensor> tensor :
                        trace.state().get(step - 1).entrySet()) {
                    results.put(
                            after(step, tensor.getKey()),
                            new Result(ShortRecording.sample(tensor.getValue()), parameters.contains(tensor.getKey())));
                }
            }
        }
        return results;
    }

    private static byte[] bytes(Tensor tensor) {
        MemorySegment memory =
                MemorySegment.ofArray(new long[Math.toIntExact(tensor.type().bytes() / Long.BYTES + 1)]);
        TensorBytes.encode(tensor, memory, 0);
        return memory.asSlice(0, tensor.type().bytes()).toArray(ValueLayout.JAVA_BYTE);
    }
}
