package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.training.Purpose;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Gradients of 1001, which f32 holds and bf16 does not: under {@code torch.autocast} of PyTorch 2.13 linear layers and
 * convolutions round theirs to 1000 before they become f32. What is summed for a parameter is f32 here.
 */
class WideGradientsTest {
    private static float[] gradient(String precision, String body) {
        String text = """
            remat 1

            model Sums(rows: int = 1) {
            %s
            }

            train {
              minimize loss
              optimizer sgd(lr = 0.1)
              precision %s
            }
            """.formatted(body, precision);
        FloatBuffer buffer = TrialRun.outputs(
                        TrialRun.compile(text, "rows=1", Purpose.GRADIENTS, CompileOptions.defaults()), 1)
                .get("grad.p")
                .order(ByteOrder.nativeOrder())
                .asFloatBuffer();
        float[] values = new float[buffer.remaining()];
        buffer.get(values);
        return values;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "param p: f32[3, 4] = zeros; loss = sum(linear(ones([1001, 4]), 3, weight = p))",
                "param p: f32[3] = zeros; loss = sum(broadcast(p, [1001, 3]))",
                "param p: f32[1, 3] = zeros; loss = sum(broadcast(p, [1001, 3]))",
                "param p: f32[2, 3, 1, 1] = zeros; loss = sum(conv2d(ones([7, 3, 11, 13]), 2, 1, weight = p))",
                "param p: f32[2, 1, 1, 1] = zeros; loss = sum(conv2d(ones([7, 2, 11, 13]), 2, 1, groups = 2, weight ="
                        + " p))",
            })
    void sumsForParametersStayWide(String body) {
        String lines = body.replace("; ", "\n");
        assertThat(gradient("f32", lines)).containsOnly(1001);
        assertThat(gradient("bf16", lines)).containsOnly(1001);
    }

    @Test
    void contributionsAreAddedWide() {
        String body = """
            param p: f32[4, 4] = zeros
            x = linear(ones([1000, 4]), 4, weight = p)
            loss = sum(x) + sum(linear(ones([1, 4]), 4, weight = p))
            """;
        assertThat(gradient("bf16", body)).containsOnly(1001);
    }

    @Test
    void sumsForActivationsAreRounded() {
        String body = """
            param p: f32[3] = zeros
            loss = sum(broadcast(exp(p), [1001, 3]))
            """;
        assertThat(gradient("bf16", body)).containsOnly(1000);
        assertThat(gradient("f32", body)).containsOnly(1001);
    }
}
