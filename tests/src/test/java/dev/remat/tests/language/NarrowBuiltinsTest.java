package dev.remat.tests.language;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.simplify.RemoveDeadNodes;
import dev.remat.compiler.simplify.RemoveIdentities;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.ApplyPrecision;
import dev.remat.compiler.training.Differentiate;
import dev.remat.compiler.training.ReportGradients;
import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.ValueMap;
import dev.remat.tests.reference.ReferenceInterpreter;
import dev.remat.tests.reference.Rounding;
import dev.remat.tests.reference.Tensor;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What builtins give where activations have 16 bits, each operation rounded to its dtype, at the ends of its range. */
class NarrowBuiltinsTest {
    /** The output {@code y} and the gradient by the parameter {@code x}. */
    private record Found(double[] y, double[] gradient) {}

    private static Found run(DType precision, String body, double... x) {
        String text = "remat 1\nmodel M {\nparam x: f32[" + x.length + "] = zeros\ny = " + body
                + "\noutput y\nloss = sum(y)\n}\ntrain { minimize loss; optimizer sgd(lr = 0.1) }\n";
        Graph elaborated = Elaborator.elaborate(
                        ModelParser.parse(new Source("m", text), IncludeResolver.NONE), Bindings.NONE)
                .forward();
        Graph forward = RemoveDeadNodes.run(ApplyPrecision.run(elaborated, precision));
        Graph whole = RemoveIdentities.run(
                Differentiate.run(forward, forward.output(ExecutionPlan.LOSS), new ReportGradients())
                        .graph());
        SequencedMap<String, Tensor> inputs = new LinkedHashMap<>();
        for (GraphInput input : whole.inputs()) {
            Tensor tensor = Tensor.zeros(whole.type(input.value()));
            String name = whole.value(input.value()).name();
            if (name.equals("x")) {
                System.arraycopy(x, 0, tensor.data(), 0, x.length);
            }
            inputs.put(name, tensor);
        }
        ValueMap<Tensor> values = new ReferenceInterpreter(Rounding.TO_DTYPE, 7).run(whole, inputs, 1);
        return new Found(
                values.get(whole.output("y")).data(),
                values.get(whole.output("grad.x")).data());
    }

    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16"})
    void sureProbabilitiesHaveAFiniteSlope(DType precision) {
        // Sigmoids of 9 and −20 are 1 and 0 in f16, with the least slope that it holds.
        Found right = run(precision, "bce(sigmoid(x), tensor([1, 0]), reduction = \"none\")", 9, -20);
        assertThat(right.y()).containsExactly(new double[] {0, 0}, within(2e-3));
        assertThat(right.gradient()).containsExactly(new double[] {0, 0}, within(2e-3));
        Found wrong = run(precision, "bce(sigmoid(x), tensor([0, 1]), reduction = \"none\")", 9, -20);
        assertThat(wrong.gradient()[0]).isBetween(0.0, 1.0);
        assertThat(wrong.gradient()[1]).isBetween(-1.01, 0.0);
        Found unsure = run(precision, "bce(sigmoid(x), tensor([0, 1]), reduction = \"none\")", 0, 0);
        assertThat(unsure.y()).containsExactly(new double[] {Math.log(2), Math.log(2)}, within(3e-3));
        assertThat(unsure.gradient()).containsExactly(0.5, -0.5);
    }

    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16", "F32"})
    void littleIsLostOfNearlyRightLogits(DType precision) {
        for (String loss : List.of(
                "focal(x * 1, tensor([1, 0]), alpha = -1, gamma = 0, reduction = \"none\")",
                "bce_with_logits(x * 1, tensor([1, 0]), pos_weight = ones([2]), reduction = \"none\")")) {
            double rare = precision == DType.F32 ? 18 : 6;
            double[] near = run(precision, loss, rare, -rare).y();
            double exact = Math.log1p(Math.exp(-rare));
            assertThat(near).as(loss).containsExactly(new double[] {exact, exact}, within(exact / 100));
            // No kink where neither is likelier.
            assertThat(run(precision, loss, 0, 0).gradient()).as(loss).containsExactly(-0.5, 0.5);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16", "F32"})
    void squaresBeyondTheRangeAreSummed(DType precision) {
        // 300² is more than the 65504 that f16 holds.
        assertThat(run(precision, "var(x * 1)", -300, 300).y()).containsExactly(180_000);
        assertThat(run(precision, "std(x * 1, correction = 0)", -300, 300).y()).containsExactly(300);
        Found norm = run(precision, "norm(x * 1)", -300, 400);
        assertThat(norm.y()).containsExactly(500);
        assertThat(norm.gradient()).containsExactly(new double[] {-0.6, 0.8}, within(4e-3));
        assertThat(run(precision, "normalize(x * 1, axis = 0)", 0, 0).y()).containsExactly(0, 0);
        assertThat(run(precision, "normalize(x * 1, axis = 0)", -3072, 4096).y())
                .containsExactly(new double[] {-0.6, 0.8}, within(4e-3));
    }

    @Test
    void drawnNumbersStayBelowTheirEnd() {
        double[] drawn = run(DType.F32, "rand([2000], low = 1, high = 2, dtype = bf16) + 0 * cast(sum(x), bf16)", 1)
                .y();
        assertThat(Arrays.stream(drawn).max().orElseThrow()).isEqualTo(2 - 0x1p-7);
        assertThat(Arrays.stream(drawn).min().orElseThrow()).isEqualTo(1);
        double[] negative = run(DType.F32, "rand([2000], low = -1, high = 0, dtype = f16) + 0 * cast(sum(x), f16)", 1)
                .y();
        assertThat(Arrays.stream(negative).max().orElseThrow()).isNegative();
        assertThat(Arrays.stream(negative).min().orElseThrow()).isGreaterThanOrEqualTo(-1);
    }
}
