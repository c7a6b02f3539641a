package dev.remat.tests.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.Compilation;
import dev.remat.ir.execution.ArenaTensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Eight steps on {@code (w²·x).sum() / 2 + (b²·y).sum() / 2} from 1, in f64, held to torch.optim.Adafactor of PyTorch
 * 2.13 with rates that f32 holds.
 */
class AdafactorTest {
    private static final String TEXT = """
        remat 1

        model Bowls {
          input x: f32[2, 2, 3]
          input y: f32[3]
          param w: f32[2, 2, 3] = ones
          param b: f32[3] = ones
          loss = sum(w * w * x) / 2 + sum(b * b * y) / 2
        }

        train {
          minimize loss
          optimizer adafactor(%s)
        }
        """;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "lr = 0.0625 | 0.7012725480254753 | 0.6186711070038722 | 0.6124345455149739",
                "lr = 0.125, beta2_decay = -0.5, eps = (0.01, 0.5), d = 2.0, weight_decay = 0.25"
                        + " | 0.3573759302338515 | 0.27064554805276975 | 0.2644009666289924",
                "lr = 0.5, eps = (none, 0.125) | 0.1851729572669504 | 0.08674768422377312 | 0.08817474722037746"
            })
    void followsPyTorch(String arguments, double first, double eighth, double bias) {
        Trained trained = Trained.run(TEXT.formatted(arguments), 8);
        assertThat(trained.state().get("w")[0]).isCloseTo(first, within(1e-13));
        assertThat(trained.state().get("w")[7]).isCloseTo(eighth, within(1e-13));
        assertThat(trained.state().get("b")[2]).isCloseTo(bias, within(1e-13));
    }

    @Test
    void keepsOneRowAndOneColumnOfAMatrix() {
        Compilation compilation = Trained.compile(TEXT.formatted(""), "keep-all");
        assertThat(compilation.plan().inputs())
                .filteredOn(input -> input.name().startsWith("optimizer."))
                .extracting(ArenaTensor::name, input -> input.type().toString())
                .containsExactly(
                        tuple("optimizer.row_var.w", "f64[2, 2, 1]"),
                        tuple("optimizer.col_var.w", "f64[2, 1, 3]"),
                        tuple("optimizer.variance.b", "f64[3]"));
    }

    @Test
    void gradientsAreClippedBeforeTheirSquaresAreTaken() {
        Trained trained = Trained.run(TEXT.formatted("lr = 0.0625, eps = (0.25, 0.001), clip_norm = 0.5"), 3);
        assertThat(trained.state().get("w")[0]).isCloseTo(0.984060114467657, within(1e-7));
        assertThat(trained.state().get("w")[7]).isCloseTo(0.8865831975767431, within(1e-7));
    }

    @Test
    void skippedStepsLeaveTheEstimates() {
        String text = TEXT.formatted("lr = 0.0625")
                .replace("minimize", "loss_scale dynamic\n  minimize")
                .replace("sum(b * b * y) / 2", "sum(sqrt(b * y))");
        Trained one = Trained.run(text, 1, (step, element) -> step == 1 ? 0 : 1 + element);
        Trained two = Trained.run(text, 2, (step, element) -> step == 1 ? 0 : 1 + element);
        assertThat(two.steps().getLast().skipped()).isTrue();
        for (String name :
                new String[] {"w", "b", "optimizer.row_var.w", "optimizer.col_var.w", "optimizer.variance.b"}) {
            assertThat(two.state().get(name)).as(name).isEqualTo(one.state().get(name));
        }
    }
}
