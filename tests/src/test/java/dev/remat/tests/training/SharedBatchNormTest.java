package dev.remat.tests.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.Compilation;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batch normalization that is applied twice a step. */
class SharedBatchNormTest {
    /** Columns of x are 1, 3 and 5, 9: means 2 and 7, unbiased variances 2 and 8; of 2·x twice and four times those. */
    private static final String SHARED = """
        remat 1

        model Shared {
          input x: f32[2, 2]
          layer Norm(y) { return batch_norm(y, momentum = 0.25, repeated = "each") }
          norm = Norm as norm
          h = norm(x)
          repeat 3 { h = h |> linear(2) |> tanh }
          loss = mean(h ** 2) + mean(norm(2 * x) ** 3)
        }

        train {
          minimize loss
          optimizer sgd(lr = 0.1)
        }
        """;

    private static final Trained.Data DATA =
            (step, element) -> List.of(1.0, 5.0, 3.0, 9.0).get(element);

    @Test
    void everyApplicationMovesTheStatisticsInTurn() {
        Trained trained = Trained.run(SHARED, 1, DATA);
        double[] means = trained.state().get("norm.batch_norm.running_mean");
        double[] variances = trained.state().get("norm.batch_norm.running_var");
        assertThat(means[0]).isCloseTo(0.75 * (0.25 * 2) + 0.25 * 4, within(1e-6));
        assertThat(means[1]).isCloseTo(0.75 * (0.25 * 7) + 0.25 * 14, within(1e-6));
        assertThat(variances[0]).isCloseTo(0.75 * (0.75 + 0.25 * 2) + 0.25 * 8, within(1e-6));
        assertThat(variances[1]).isCloseTo(0.75 * (0.75 + 0.25 * 8) + 0.25 * 32, within(1e-6));
    }

    @Test
    void theMeanOfTheApplicationsMovesThemOnce() {
        Trained trained = Trained.run(SHARED.replace("\"each\"", "\"mean\""), 1, DATA);
        double[] means = trained.state().get("norm.batch_norm.running_mean");
        double[] variances = trained.state().get("norm.batch_norm.running_var");
        assertThat(means[0]).isCloseTo(0.25 * (2 + 4) / 2, within(1e-6));
        assertThat(means[1]).isCloseTo(0.25 * (7 + 14) / 2, within(1e-6));
        assertThat(variances[0]).isCloseTo(0.75 + 0.25 * (2 + 8) / 2, within(1e-6));
        assertThat(variances[1]).isCloseTo(0.75 + 0.25 * (8 + 32) / 2, within(1e-6));
    }

    @Test
    void ofOneApplicationTheMeanIsItsOwn() {
        String once = SHARED.replace("mean(norm(2 * x) ** 3)", "sum(x)");
        Trained mean = Trained.run(once.replace("\"each\"", "\"mean\""), 2, DATA);
        Trained.run(once, 2, DATA)
                .state()
                .forEach((name, values) ->
                        assertThat(mean.state().get(name)).as(name).isEqualTo(values));
    }

    @ParameterizedTest
    @ValueSource(strings = {"each", "mean"})
    void recomputationMovesThemNoFurther(String repeated) {
        String text = SHARED.replace("each", repeated);
        Trained kept = Trained.run(text, 3, DATA);
        Compilation other = Trained.compile(text, "segments=3");
        assertThat(other.evaluation().recomputations()).isPositive();
        Trained again = Trained.run(other, 3, DATA);
        kept.state()
                .forEach((name, values) ->
                        assertThat(again.state().get(name)).as(name).isEqualTo(values));
    }
}
