package dev.remat.tests.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Optimizers that a model file defines. */
class OwnOptimizerTest {
    private static final String LION = """
        optimizer lion2(lr: float = 1e-4, beta1: float = 0.9, beta2: float = 0.99, weight_decay: float = 0.0) {
          exp_avg = state()
          way = sign(beta1 * exp_avg + (1.0 - beta1) * gradient)
          parameter = parameter - lr * weight_decay * parameter - lr * way
          exp_avg = beta2 * exp_avg + (1.0 - beta2) * gradient
        }
        """;

    private static Trained trained(String definitions, String optimizer, int steps) {
        return Trained.run("""
            remat 1

            %s
            model Bowl {
              input x: f32[2]
              param w: f32[2, 1] = ones
              loss = sum(w ** 2) / 2 + 0 * sum(x)
            }

            train {
              minimize loss
              %s
            }
            """.formatted(definitions, optimizer), steps);
    }

    /** By hand, as OptimizersTest follows the one of the prelude. */
    @Test
    void lionIsWrittenInFourLines() {
        Trained lion = trained(LION, "optimizer lion2(lr = 0.1, beta1 = 0.5, beta2 = 0.6, weight_decay = 0.1)", 20);
        assertThat(lion.state().get("w")[1]).isCloseTo(-0.04980386798347842, within(1e-13));
        assertThat(lion.state()).containsKey("optimizer.exp_avg.w");
    }

    /** w ← w − lr·|w|/|g|·g with g = w: every step of both elements takes a tenth, halved in the second step. */
    @Test
    void normsAndTheScheduleAreSeen() {
        Trained trained = trained("""
            layer length(x) {
              return sqrt(sum(x * x))
            }

            optimizer lars(lr: float) {
              parameter = parameter - lr * length(parameter) / length(gradient) * gradient
            }
            """, "optimizer lars(lr = 0.1)\n  schedule step(every = 1, gamma = 0.5)", 2);
        assertThat(trained.state().get("w")).containsExactly(new double[] {0.9 * 0.95, 0.9 * 0.95}, within(1e-13));
    }

    /** 1 − 0.5·1 and then 0.5 − 0.5·0.5/2, for the second step is half as large. */
    @Test
    void gradientsAreClippedAndStepsCounted() {
        Trained trained = trained(
                "optimizer slower(lr: float) {\n  parameter = parameter - lr / step * gradient\n}\n",
                "optimizer slower(lr = 0.5, clip_norm = 100)",
                2);
        assertThat(trained.state().get("w")).containsExactly(new double[] {0.375, 0.375}, within(1e-13));
        Trained clipped = trained(
                "optimizer slower(lr: float) {\n  parameter = parameter - lr / step * gradient\n}\n",
                "optimizer slower(lr = 0.5, clip_norm = 0.5)",
                1);
        // The gradient (1, 1) is √2 long; its elements become 0.5/√2.
        assertThat(clipped.state().get("w")[0]).isCloseTo(1 - 0.25 / Math.sqrt(2), within(1e-6));
    }

    /** A state of its own shape, which starts elsewhere: a tenth of the number of steps and 3. */
    @Test
    void statesHaveShapesAndStarts() {
        Trained trained = trained("""
            optimizer counted(lr: float) {
              count = state(3.0, step)
              columns = state(1.0, mean(parameter, axis = 0, keepdim = true))
              count = count + 1.0
              columns = columns + mean(gradient, axis = 0, keepdim = true)
              parameter = parameter - lr * 0.0 * gradient
            }
            """, "optimizer counted(lr = 0.1)", 2);
        assertThat(trained.state().get("optimizer.count.w")).containsExactly(5);
        assertThat(trained.state().get("optimizer.columns.w")).containsExactly(3);
    }

    @Test
    void anotherWordOptimizerIsAName() {
        Trained trained = Trained.run("""
            remat 1

            layer optimizer(x) {
              return x * 1.0
            }

            model Bowl {
              input x: f32[2]
              param w: f32[2] = ones
              optimizer = optimizer(w)
              loss = sum(optimizer ** 2) / 2 + 0 * sum(x)
            }

            train {
              minimize loss
              optimizer sgd(lr = 0.5)
            }
            """, 1);
        assertThat(trained.state().get("w")).containsExactly(0.5, 0.5);
    }
}
