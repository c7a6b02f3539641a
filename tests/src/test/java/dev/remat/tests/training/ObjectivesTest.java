package dev.remat.tests.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.Compilation;
import dev.remat.runtime.train.NotANumberException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Losses, groups and frozen parameters, held to updates worked out by hand. */
class ObjectivesTest {
    private static final double EXACT = 1e-7;

    /** For d = 2, g = 3 and x = 1 the gradients of d·x + d·g by d and of −d·g by g are 4 and −2. */
    private static final String GAME = """
        remat 1

        model Game {
          input x: f32[1]
          param d: f32[1] = constant(2)
          param g: f32[1] = constant(3)
          d_loss = sum(d * x + d * g)
          g_loss = -sum(d * g)
        }

        train {
          minimize d_loss { parameters "d"; optimizer sgd(lr = 0.5) }
          minimize g_loss { parameters "g"; optimizer sgd(lr = 0.25) }
        }
        """;

    private static final String CHAIN = """
        remat 1

        model Chain {
          input x: f32[4, 8]
          h = x |> linear(8) as first |> tanh |> linear(8) as second |> tanh |> linear(8) as head
          loss = mean(h ** 2)
        }

        train {
          minimize loss
          optimizer adamw(lr = 0.01)
          %s
        }
        """;

    @Test
    void updatesAreSimultaneous() {
        Trained trained = Trained.run(GAME, 1, (step, element) -> 1);
        assertThat(trained.value("d")).isCloseTo(2 - 0.5 * 4, within(EXACT));
        assertThat(trained.value("g")).isCloseTo(3 + 0.25 * 2, within(EXACT));
    }

    @Test
    void aLossThatIsNoNumberStopsTheRunWhicheverItIs() {
        assertThatThrownBy(() -> Trained.run(GAME.replace("-sum(d * g)", "sum(g) * sum(log(d - 3))"), 1))
                .isInstanceOf(NotANumberException.class)
                .hasMessageContaining("loss.g_loss of step 1 is NaN");
    }

    @Test
    void frozenParametersStayAndHaveNoState() {
        Trained trained = Trained.run(CHAIN.formatted("freeze \"first.*\", \"*.bias\""), 3);
        Trained free = Trained.run(CHAIN.formatted(""), 3);
        Trained untrained = Trained.run(CHAIN.formatted(""), 0);
        assertThat(trained.state().get("first.weight"))
                .isEqualTo(untrained.state().get("first.weight"));
        assertThat(trained.state().get("head.bias")).isEqualTo(untrained.state().get("head.bias"));
        assertThat(trained.state().get("head.weight"))
                .isNotEqualTo(untrained.state().get("head.weight"));
        assertThat(free.state().get("first.weight"))
                .isNotEqualTo(untrained.state().get("first.weight"));
        assertThat(trained.state())
                .containsKey("optimizer.exp_avg.head.weight")
                .doesNotContainKey("optimizer.exp_avg.head.bias");
    }

    /** In f64: for each of three layers two moments of 64 weights and of 8 biases. */
    @Test
    void theMemoryPlanCountsTheStateOfWhatIsTrained() {
        assertThat(optimizerBytes("")).isEqualTo(3 * 2 * (64 + 8) * 8);
        assertThat(optimizerBytes("freeze \"*.bias\"")).isEqualTo(3 * 2 * 64 * 8);
        assertThat(optimizerBytes("group \"*\" { optimizer sgd(lr = 0.1) }")).isZero();
    }

    private static long optimizerBytes(String setting) {
        return Trained.compile(CHAIN.formatted(setting), "keep-all").plan().inputs().stream()
                .filter(input -> input.name().startsWith("optimizer."))
                .mapToLong(input -> input.type().bytes())
                .sum();
    }

    /** sgd takes lr·g off; the gradient of a sum is 1 everywhere. */
    @Test
    void theLastGroupThatMatchesCounts() {
        Trained trained = Trained.run("""
            remat 1

            model M {
              input x: f32[1]
              param a: f32[1] = zeros
              param ab: f32[1] = zeros
              param abc: f32[1] = zeros
              loss = sum(a + ab + abc) + 0 * sum(x)
            }

            train {
              minimize loss
              optimizer sgd(lr = 1.0)
              schedule warmup(steps = 2)
              group "a*" { optimizer sgd(lr = 0.1) }
              group "*c" { schedule constant }
            }
            """, 1);
        assertThat(trained.value("a")).isCloseTo(-0.05, within(EXACT));
        assertThat(trained.value("ab")).isCloseTo(-0.05, within(EXACT));
        assertThat(trained.value("abc")).isCloseTo(-1, within(EXACT));
    }

    /** Both gradients are 1, so that their norm is √2; a frozen one does not count. */
    @Test
    void theNormIsThatOfTheTrainedParametersOfALoss() {
        String text = """
            remat 1

            model M {
              input x: f32[1]
              param a: f32[1] = zeros
              param b: f32[1] = zeros
              param c: f32[1] = zeros
              loss = sum(a + b + c) + 0 * sum(x)
            }

            train {
              minimize loss
              optimizer sgd(lr = 1.0, clip_norm = 0.5)
              freeze "c"
            }
            """;
        assertThat(Trained.run(text, 1).value("a")).isCloseTo(-0.5 / Math.sqrt(2), within(1e-5));
    }

    @Test
    void noPlanChangesTheBits() {
        String text = """
            remat 1

            model Deep {
              input x: f32[4, 8]
              h = x
              repeat 6 { h = h |> linear(8) as block |> tanh |> layer_norm as norm |> gelu }
              loss = mean(h ** 2)
              other = mean(h ** 4)
            }

            train {
              minimize loss { parameters "block.1.*", "block.3.*", "norm.*", "block.4.*" }
              minimize other { parameters "block.0.*", "block.2.*", "block.5.*" }
              optimizer adamw(lr = 0.01, clip_norm = 1.0)
              group "*.bias" { optimizer sgd(lr = 0.1, momentum = 0.9) }
              freeze "block.4.*", "norm.2.*"
            }
            """;
        Trained.Data data = (step, element) -> Math.sin(element + step);
        Trained kept = Trained.run(Trained.compile(text, "keep-all"), 4, data);
        for (String strategy : List.of("sqrt", "segments=3")) {
            Compilation other = Trained.compile(text, strategy);
            assertThat(other.evaluation().recomputations()).isPositive();
            Trained again = Trained.run(other, 4, data);
            kept.state()
                    .forEach((name, values) ->
                            assertThat(again.state().get(name)).as(name).isEqualTo(values));
        }
    }
}
