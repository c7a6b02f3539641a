package dev.remat.compiler.elaborate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers of the train block that no training can use are refused at their place, with or without a schedule. */
class TrainingRangesTest {
    private static List<String> findings(String settings) {
        return Models.findings(
                "remat 1\nmodel M(inf: float = 1e308 * 10.0) {\n  input x: f32[2]\n  param w: f32[2] = ones\n"
                        + "  loss = mean(x * w)\n}\ntrain { minimize loss; " + settings + " }\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sgd(lr = -0.1) | lr must be finite and not negative, and is -0.1",
                "sgd(lr = inf) | lr must be finite and not negative, and is Infinity",
                "sgd(lr = inf - inf) | lr must be finite and not negative, and is NaN",
                "sgd(lr = 0.1, momentum = inf) | momentum must be finite and not negative, and is Infinity",
                "sgd(lr = 0.1, momentum = -1) | momentum must be finite and not negative, and is -1.0",
                "sgd(lr = 0.1, dampening = inf - inf) | dampening is from 0 to 1, not NaN",
                "sgd(lr = 0.1, weight_decay = -1) | weight_decay must be finite and not negative, and is -1.0",
                "sgd(lr = 0.1, clip_norm = 0) | clip_norm must be finite and positive, and is 0.0",
                "sgd(lr = 0.1, clip_norm = inf) | clip_norm must be finite and positive, and is Infinity",
                "adam(lr = 0.1, eps = inf) | eps must be finite and not negative, and is Infinity",
                "adamw(weight_decay = inf - inf) | weight_decay must be finite and not negative, and is NaN",
                "adamw(betas = [0.9, 1.0]) | betas are from 0 to below 1, not 1.0",
                "adamw(betas = [inf - inf, 0.5]) | betas are from 0 to below 1, not NaN",
                "adamw(betas = [0.5]) | betas are two numbers"
            })
    void optimizers(String optimizer, String message) {
        String place = "E0402 7:34 ";
        assertThat(findings("optimizer " + optimizer)).containsExactly(place + message);
        assertThat(findings("optimizer " + optimizer + "; schedule cosine(steps = 10)"))
                .containsExactly(place + message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "warmup(steps = -1)",
                "linear(steps = 5, warmup = 6)",
                "linear(steps = -5)",
                "cosine(steps = 5, warmup = -1)",
                "cosine(steps = 5, min_lr = -0.01)",
                "cosine(steps = 5, min_lr = inf)",
                "cosine(steps = 5, min_lr = inf - inf)",
                "step(every = 0)",
                "step(every = 5, gamma = -1.0)",
                "step(every = 5, gamma = inf)"
            })
    void schedules(String schedule) {
        assertThat(findings("optimizer sgd(lr = 0.1); schedule " + schedule))
                .singleElement()
                .asString()
                .startsWith("E0402 7:58 ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "optimizer sgd(lr = 0)",
                "optimizer adamw(lr = 1e-3, betas = [0, 0.99], eps = 0, weight_decay = 0, clip_norm = 1e-3)",
                "optimizer sgd(lr = 0.1, momentum = 2); schedule step(every = 1, gamma = 0.0, warmup = 0)",
                "optimizer sgd(lr = 0.1); schedule cosine(steps = 5, min_lr = 0.1)"
            })
    void numbersAtTheEdgeAreTaken(String settings) {
        assertThat(findings(settings)).isEmpty();
    }
}
