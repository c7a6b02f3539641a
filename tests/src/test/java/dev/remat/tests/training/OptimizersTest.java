package dev.remat.tests.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Twenty steps on w² / 2 from 1, in f64, held to torch.optim of PyTorch 2.13: {@code w.grad = w} and {@code step()}.
 * Lion, which PyTorch lacks, was followed by hand: {@code w − lr·sign(β1·m + (1 − β1)·w)}; so were Adan and LAMB, by
 * the algorithms of their papers, and what PyTorch documents of dampening, which begins with the second step.
 */
class OptimizersTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rmsprop(lr = 0.01) | 0.36660812073784205",
                "rmsprop(lr = 0.02, alpha = 0.9, eps = 0.001, weight_decay = 0.1, momentum = 0.5) | 0.1685762843827199",
                "rmsprop(lr = 0.01, alpha = 0.9, eps = 0.1, centered = true) | 0.653676773751032",
                "rmsprop(lr = 0.01, alpha = 0.9, eps = 0.1, momentum = 0.9, centered = true) | -0.2696190645365081",
                "adagrad(lr = 0.1) | 0.3765760142605776",
                "adagrad(lr = 0.1, lr_decay = 0.05, weight_decay = 0.1, initial_accumulator_value = 0.5, eps = 0.001)"
                        + " | 0.5188919010349131",
                "sgd(lr = 0.1, momentum = 0.9, weight_decay = 0.1, nesterov = true) | 0.09235718243480294",
                "sgd(lr = 0.1, momentum = 0.9, dampening = 0.3) | 0.22311597502493324",
                "sgd(lr = 0.05, momentum = 0.5, dampening = 0.5, weight_decay = 0.1) | 0.30118342282743477",
                "sgd(lr = 0.1, momentum = 0.9, dampening = 1) | 0.12157665459056904",
                "adam(lr = 0.1, weight_decay = 0.1) | -0.2711540943424797",
                "adamw(lr = 0.1, betas = [0.8, 0.9], weight_decay = 0.1) | -0.08271001670119246",
                "nadam(lr = 0.0625) | 0.17901702520998927",
                "nadam(lr = 0.125, betas = (0.8, 0.9), eps = 0.001, weight_decay = 0.1, momentum_decay = 0.1)"
                        + " | -0.03144787662134156",
                "nadam(lr = 0.125, weight_decay = 0.1, decoupled_weight_decay = true) | -0.07167423182428066",
                "radam(lr = 0.125) | 0.3608888125954076",
                "radam(lr = 0.125, betas = (0.8, 0.9), eps = 0.001, weight_decay = 0.1) | -0.11788584772894088",
                "radam(lr = 0.0625, weight_decay = 0.1, decoupled_weight_decay = true) | 0.571489349623853",
                "adamax(lr = 0.125) | -0.16883387683377582",
                "adamax(lr = 0.125, betas = (0.8, 0.9), eps = 0.001, weight_decay = 0.1) | 0.11498772605605595",
                "adam(lr = 0.125, betas = (0.8, 0.5), amsgrad = true) | -0.08244110662829043",
                "adamw(lr = 0.125, betas = (0.8, 0.5), eps = 0.001, weight_decay = 0.1, amsgrad = true)"
                        + " | -0.07248435857227566",
                "adan(lr = 0.05) | 0.04995790757685",
                "adan(lr = 0.125, betas = (0.9, 0.8, 0.95), eps = 0.001, weight_decay = 0.1) | -0.15289287323879538",
                "lamb(lr = 0.05) | 0.3584859224085422",
                "lamb(lr = 0.125, betas = (0.8, 0.9), eps = 0.001, weight_decay = 0.1) | 0.06920875877393026",
                "lion(lr = 0.06) | -0.2000000000000004",
                "lion(lr = 0.1, betas = [0.5, 0.6], weight_decay = 0.1) | -0.04980386798347842"
            })
    void followsPyTorch(String optimizer, double expected) {
        Trained trained = Trained.run("""
            remat 1

            model Bowl {
              input x: f32[1]
              param w: f32[1] = ones
              loss = sum(w ** 2) / 2 + 0 * sum(x)
            }

            train {
              minimize loss
              optimizer %s
            }
            """.formatted(optimizer), 20);
        assertThat(trained.value("w")).isCloseTo(expected, within(1e-13));
    }
}
