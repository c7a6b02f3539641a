package dev.remat.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.device.CpuDevice;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.option.Target;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.HoldStopped;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.check.GradientCheck;
import dev.remat.runtime.check.SlopeVerdict;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.GradientEvaluation;
import dev.remat.runtime.train.InputFeed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Gradients of whole models as they are, and with mistakes put in. */
class GradientCheckTest {
    private static final String SMOOTH = """
        input x: f32[6, 20]
        input t: f32[6, 5]
        h = dropout(linear(x, 30) as up, 0.3) |> gelu
        loss = mse(softmax(linear(layer_norm(h) as norm, 5) as down), t)\
        """;

    /** Every element of b lies on a bend at first, those of w do not. */
    private static final String BENT = """
        input x: f32[8, 4]
        param b: f32[16] = zeros
        param w: f32[16] = normal(std = 1)
        y = linear(x, 16, bias = false) as inner
        loss = mean(y * y * w) + sum(relu(b) * w * w)\
        """;

    /** Small images with many ties and bends near by, as convolutional networks have them. */
    private static final String NETWORK = """
        input x: f32[4, 3, 12, 12]
        input t: f32[4, 4]
        h = conv2d(clamp(x, min = -1, max = 1), 8, 3, padding = 1) as first
        h = max_pool2d(max(h, 0.2 * h), 2)
        h = max_pool2d(relu(conv2d(h, 8, 3, padding = 1) as second), 2)
        loss = mean(abs(linear(flatten(h), 4) as head - t))\
        """;

    /** One stopped tensor follows from another, and one is a parameter. */
    private static final String STOPPED = """
        input x: f32[8, 4]
        param w: f32[4] = normal(std = 1)
        param c: f32[4] = normal(std = 1)
        a = stop_gradient(exp(w))
        b = stop_gradient(a * w + c)
        d = dropout(x, 0.3)
        loss = mean((d - w * a - c) ** 2) + sum(b * w) + sum(stop_gradient(c) * c)\
        """;

    /** Changes what is read of one gradient. */
    private record Tampered(Executable inner, long offset, Consumer<double[]> mistake) implements Executable {
        @Override
        public ExecutionPlan plan() {
            return inner.plan();
        }

        @Override
        public void run(long step, int microBatch, int from, int to) {
            inner.run(step, microBatch, from, to);
        }

        @Override
        public void write(long to, MemorySegment source) {
            inner.write(to, source);
        }

        @Override
        public MemorySegment read(long from, long bytes) {
            MemorySegment right = inner.read(from, bytes);
            if (from != offset) {
                return right;
            }
            double[] values = right.toArray(ValueLayout.JAVA_DOUBLE);
            mistake.accept(values);
            return MemorySegment.ofArray(values);
        }

        @Override
        public long highWaterBytes() {
            return inner.highWaterBytes();
        }

        @Override
        public Executable loadBeside(ExecutionPlan other) {
            return inner.loadBeside(other);
        }

        @Override
        public Executable loadWithin(ExecutionPlan other) {
            return inner.loadWithin(other);
        }

        @Override
        public void close() {
            inner.close();
        }
    }

    private static ElaboratedModel model(String body) {
        String text = "remat 1\nmodel M {\n" + body + "\n}\ntrain { minimize loss; optimizer sgd(lr = 0.1); seed 5 }\n";
        return Elaborator.elaborate(
                        ModelParser.parse(new Source("m", text), IncludeResolver.NONE),
                        Bindings.NONE,
                        Purpose.GRADIENTS)
                .withPrecision(DType.F64);
    }

    private static ExecutionPlan plan(ElaboratedModel model) {
        return PlanOptions.compile(model, CompileOptions.defaults(), Target.cpu())
                .plan();
    }

    private static GradientEvaluation evaluation(Executable executable, SyntheticDataset data) {
        GradientEvaluation evaluation = new GradientEvaluation(executable);
        ExecutionPlan plan = executable.plan();
        evaluation.load(data.training(InputFeed.specs(plan), plan.seed()), 0);
        return evaluation;
    }

    private static List<GradientCheck.Finding> check(String body, String parameter, Consumer<double[]> mistake) {
        ExecutionPlan plan = plan(model(body));
        long offset = plan.output("grad." + parameter).offset();
        try (Executable executable = new Tampered(new CpuDevice().load(plan, false), offset, mistake);
                SyntheticDataset data = new SyntheticDataset()) {
            GradientEvaluation evaluation = evaluation(executable, data);
            double before = evaluation.run(1);
            List<GradientCheck.Finding> findings = GradientCheck.run(evaluation, _ -> ExecutionPlan.LOSS, 1, _ -> {});
            assertThat(evaluation.run(1)).as("parameters are as before").isEqualTo(before);
            return findings;
        }
    }

    private static GradientCheck.Finding finding(String body, String parameter, Consumer<double[]> mistake) {
        List<GradientCheck.Finding> findings = check(body, parameter, mistake);
        assertThat(findings)
                .filteredOn(finding -> !finding.parameter().equals(parameter))
                .noneMatch(finding -> finding.verdict() == SlopeVerdict.FAULT);
        return findings.stream()
                .filter(finding -> finding.parameter().equals(parameter))
                .findFirst()
                .orElseThrow();
    }

    private static void expectFault(String body, String parameter, Consumer<double[]> mistake) {
        assertThat(finding(body, parameter, mistake).verdict()).isEqualTo(SlopeVerdict.FAULT);
    }

    @Test
    void rightGradientsOfSmoothModelsAgree() {
        assertThat(check(SMOOTH, "up.weight", values -> {}))
                .hasSize(6)
                .allMatch(finding -> finding.verdict() == SlopeVerdict.AGREES);
    }

    @Test
    @Tag("slow")
    void mistakesInAllElementsAreFaults() {
        for (double factor : new double[] {1.001, 0.999, 0.5, -1, 0, 1e6}) {
            expectFault(SMOOTH, "up.weight", values -> {
                for (int i = 0; i < values.length; i++) {
                    values[i] *= factor;
                }
            });
        }
        expectFault(SMOOTH, "norm.weight", values -> values[0] = Double.NaN);
        expectFault(SMOOTH, "down.weight", values -> {
            // As if it were transposed.
            double[] copy = values.clone();
            for (int i = 0; i < values.length; i++) {
                values[i] = copy[i % 30 * 5 + i / 30];
            }
        });
    }

    @Test
    void aMistakeInOneElementIsAFaultAndFound() {
        for (int element : new int[] {0, 377, 599}) {
            GradientCheck.Finding finding = finding(SMOOTH, "up.weight", values -> values[element] += 1e-5);
            assertThat(finding.verdict()).isEqualTo(SlopeVerdict.FAULT);
            assertThat(finding.element()).isEqualTo(OptionalInt.of(element));
        }
        expectFault(SMOOTH, "up.weight", values -> values[412] = 0);
        expectFault(SMOOTH, "up.weight", values -> values[412] = -values[412]);
        expectFault(SMOOTH, "down.bias", values -> {
            double first = values[0];
            values[0] = values[1];
            values[1] = first;
        });
    }

    @Test
    void bendsAtThePointAreKinks() {
        List<GradientCheck.Finding> findings = check(BENT, "b", values -> {});
        assertThat(findings)
                .filteredOn(finding -> finding.parameter().equals("b"))
                .allMatch(finding -> finding.verdict() == SlopeVerdict.KINK)
                .hasSize(1);
        assertThat(findings)
                .filteredOn(finding -> !finding.parameter().equals("b"))
                .allMatch(finding -> finding.verdict() == SlopeVerdict.AGREES);
    }

    /** What lies between the slopes of both sides at the point is wrong where there is no bend. */
    @Test
    void bendsHideNoMistakes() {
        expectFault(BENT, "b", values -> values[3] += 0.01);
        expectFault(BENT, "b", values -> {
            for (int i = 0; i < values.length; i++) {
                values[i] *= 1.01;
            }
        });
    }

    @Tag("slow")
    @Test
    void bendsNearByAreLeftBehind() {
        for (String parameter : List.of("first.weight", "second.weight", "head.bias")) {
            assertThat(check(NETWORK, parameter, values -> {}))
                    .hasSize(6)
                    .allMatch(finding -> finding.verdict() == SlopeVerdict.AGREES);
            expectFault(NETWORK, parameter, values -> values[values.length / 2] += 1e-3);
        }
    }

    private static List<GradientCheck.Finding> checkStopped(Consumer<double[]> mistake) {
        ElaboratedModel model = model(STOPPED);
        ExecutionPlan plan = plan(model);
        ExecutionPlan holding = plan(model.with(HoldStopped.run(model.forward())));
        long offset = plan.output("grad.w").offset();
        try (Executable executable = new Tampered(new CpuDevice().load(plan, false), offset, mistake);
                Executable held = new CpuDevice().load(holding, false);
                SyntheticDataset data = new SyntheticDataset()) {
            return GradientCheck.run(
                    evaluation(executable, data), evaluation(held, data), _ -> ExecutionPlan.LOSS, 1, _ -> {});
        }
    }

    @Test
    void stoppedTensorsAreHeldWhileParametersMove() {
        assertThat(checkStopped(values -> {})).hasSize(2).allMatch(finding -> finding.verdict() == SlopeVerdict.AGREES);
        assertThat(checkStopped(values -> values[1] += 0.01))
                .extracting(GradientCheck.Finding::verdict)
                .containsExactlyInAnyOrder(SlopeVerdict.AGREES, SlopeVerdict.FAULT);
        // Against the loss itself, gradients that stop are wrong.
        assertThat(check(STOPPED, "w", values -> {})).anyMatch(finding -> finding.verdict() == SlopeVerdict.FAULT);
    }
}
