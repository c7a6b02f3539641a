package dev.remat.tests.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.execution.ArenaTensor;
import java.util.List;
import org.junit.jupiter.api.Test;

class AverageTest {
    /** The gradient is 1, so that w is 3 − step. */
    private static final String LINE = """
        remat 1

        model Line {
          input x: f32[1]
          param w: f32[1] = constant(3)
          param frozen: f32[1] = constant(5)
          loss = sum(w) + sum(frozen) + 0 * sum(x)
        }

        train {
          minimize loss
          optimizer sgd(lr = 1.0)
          freeze "frozen"
          average ema(%s)
        }
        """;

    private static double average(String arguments, int steps) {
        return Trained.run(LINE.formatted(arguments), steps).value("ema.w");
    }

    @Test
    void isTheParameterAfterTheFirstStepAndTrailsItFromThenOn() {
        assertThat(average("decay = 0.75", 1)).isCloseTo(2, within(1e-6));
        assertThat(average("decay = 0.75", 2)).isCloseTo(0.75 * 2 + 0.25, within(1e-6));
        assertThat(average("decay = 0.75", 3)).isCloseTo(0.75 * 1.75, within(1e-6));
    }

    @Test
    void warmsUp() {
        // (1 + 2) / (10 + 2) of the old average in step 2, when the parameter is 1.
        assertThat(average("decay = 0.75, warmup = true", 2)).isCloseTo(0.25 * 2 + 0.75, within(1e-6));
        assertThat(average("decay = 0.125, warmup = true", 2)).isCloseTo(0.125 * 2 + 0.875, within(1e-6));
    }

    @Test
    void startsAsItsParameterDoes() {
        String text = LINE.formatted("").replace("constant(3)", "normal(std = 1.0)");
        Trained trained = Trained.run(text, 0);
        assertThat(trained.value("ema.w")).isEqualTo(trained.value("w")).isNotZero();
    }

    @Test
    void evaluationReadsAveragesWhereThereAreAny() {
        assertThat(parameters(Trained.compile(
                        Trained.elaborate(LINE.formatted(""), Purpose.EVALUATE), CompileOptions.defaults())))
                .containsExactly("ema.w", "frozen");
        assertThat(parameters(Trained.compile(
                        Trained.elaborate(LINE.formatted(""), Purpose.EVALUATE).withoutAverage(),
                        CompileOptions.defaults())))
                .containsExactly("w", "frozen");
    }

    private static List<String> parameters(Compilation compilation) {
        return compilation.plan().inputs().stream()
                .filter(input -> input.kind().isPersistent())
                .map(ArenaTensor::name)
                .toList();
    }

    @Test
    void coversWhatItsPatternsMatch() {
        String text = LINE.replace("freeze \"frozen\"", "").formatted("");
        assertThat(Trained.run(text, 1).state()).containsKeys("ema.w", "ema.frozen");
        String limited = text.replace("ema()", "ema { parameters \"w\" }");
        assertThat(Trained.run(limited, 1).state()).containsKey("ema.w").doesNotContainKey("ema.frozen");
    }
}
