package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.Executable;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.reference.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The same training on the CPU, in the model's precision and in a finer one, which tells how much rounding matters. */
public final class CpuTraining {
    /** Of the loss, a single number: how far its two precisions lie apart may be little by chance. */
    private static final double LOSS_ERROR = 3e-5;
    /** Of the Euclidean norm of each tensor of the state. */
    private static final double RELATIVE_ERROR = 1e-4;
    /** Of the largest tensor's norm: what rounding leaves of gradients that are zero, before a normalization say. */
    private static final double ROUNDING = 1e-6;

    private CpuTraining() {}

    /**
     * Fails unless losses and every tensor of the state are near those of the CPU after each step.
     *
     * @param sensitivity how far they may be, of the distance between the model's precision and the finer one
     * @param turned how far parameters may be, of their norm: Adam takes whole steps along gradients of either sign
     */
    static void expectNear(
            ElaboratedModel model, DType finer, double sensitivity, double turned, TrainingTrace actual) {
        int steps = actual.losses().size();
        ExecutionPlan plan = plan(model);
        TrainingTrace expected = train(plan, steps, _ -> {});
        TrainingTrace exact = trace(model.withPrecision(finer), steps, _ -> {});
        List<String> parameters = plan.inputs().stream()
                .filter(input -> input.kind() == InputKind.PARAMETER)
                .map(ArenaTensor::name)
                .toList();
        for (int step = 0; step < steps; step++) {
            double loss = expected.losses().get(step);
            double rounded = Math.abs(loss - exact.losses().get(step));
            assertThat(actual.losses().get(step))
                    .isCloseTo(loss, within(LOSS_ERROR * Math.abs(loss) + sensitivity * rounded));
            Map<String, Tensor> want = expected.state().get(step);
            double largest = want.values().stream()
                    .mapToDouble(t -> norm(t.data()))
                    .max()
                    .orElseThrow();
            for (String name : want.keySet()) {
                double[] on = want.get(name).data();
                double rounding = distance(on, exact.state().get(step).get(name).data());
                double relative = RELATIVE_ERROR + (parameters.contains(name) ? turned : 0);
                assertThat(distance(on, actual.state().get(step).get(name).data()))
                        .as(name)
                        .isLessThanOrEqualTo(relative * norm(on) + ROUNDING * largest + sensitivity * rounding);
            }
        }
    }

    /**
     * Trains a model on synthetic data.
     *
     * @param change what is done to the initial values before the first step
     */
    public static TrainingTrace trace(ElaboratedModel model, int steps, Consumer<Executable> change) {
        return train(plan(model), steps, change);
    }

    private static ExecutionPlan plan(ElaboratedModel model) {
        CpuTarget target = new CpuTarget();
        return new Compiler(target, new RooflineCost(target.device()))
                .compile(model, CompileOptions.defaults().withStrategy("keep-all"))
                .plan();
    }

    private static TrainingTrace train(ExecutionPlan plan, int steps, Consumer<Executable> change) {
        try (CpuExecutable executable = new CpuExecutable(plan, new CpuExecutable.Options(1, false))) {
            return TrainingTrace.of(executable, steps, change);
        }
    }

    private static double distance(double[] a, double[] b) {
        double[] difference = new double[a.length];
        Arrays.setAll(difference, i -> a[i] - b[i]);
        return norm(difference);
    }

    private static double norm(double[] data) {
        return Math.sqrt(Arrays.stream(data).map(x -> x * x).sum());
    }
}
