package dev.remat.tests.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.NotANumberException;
import dev.remat.runtime.train.StepResult;
import dev.remat.runtime.train.Trainer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Steps whose gradients are not finite, held to {@code torch.amp.GradScaler("cpu")} of PyTorch 2.13 in f64: scale the
 * loss, unscale, clip, step, update. Where the last input is 0 the slope of its root is no number.
 */
class LossScalingTest {
    private static final String ROOT = """
        remat 1

        model Root {
          input x: f32[3]
          param w: f32[2] = ones
          factors, k = split(x, [2, 1])
          loss = sum(w * factors) + sum(sqrt(w * k))
        }

        train {
          minimize loss
          optimizer adam(lr = 0.1, clip_norm = %s)
          loss_scale %s
          average ema(decay = 0.5)
        }
        """;

    private static final Trained.Data OVERFLOWS =
            (step, element) -> element == 2 ? step == 1 || step == 4 ? 0 : 1 : 1 + element + step / 10.0;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "none | dynamic(init_scale = 4.0, growth_interval = 2) | 0.3962842167263958 | 0.4942934392835798 | 4",
                "0.5 | dynamic(init_scale = 1024.0, growth_interval = 3) | 0.39839699841358167 | 0.4957324456727341 |"
                        + " 512",
            })
    void followsGradScaler(String clip, String scale, double w, double average, double expectedScale) {
        Trained trained = Trained.run(ROOT.formatted(clip, scale), 8, OVERFLOWS);
        assertThat(trained.value("w")).isCloseTo(w, within(1e-7));
        assertThat(trained.value("ema.w")).isCloseTo(average, within(1e-7));
        assertThat(trained.steps().getLast().scaled().orElseThrow().scale()).hasValue(expectedScale);
        assertThat(trained.steps())
                .extracting(StepResult::skipped)
                .containsExactly(false, true, false, false, true, false, false, false);
    }

    @Test
    void aSkippedStepLeavesAllButTheScale() {
        String text = ROOT.formatted("none", "dynamic");
        Trained before = Trained.run(text, 1, OVERFLOWS);
        Trained after = Trained.run(text, 2, OVERFLOWS);
        for (String name : List.of("w", "optimizer.exp_avg.w", "optimizer.exp_avg_sq.w", "ema.w")) {
            assertThat(after.state().get(name))
                    .as(name)
                    .isEqualTo(before.state().get(name));
        }
        assertThat(after.steps().get(0).scaled().orElseThrow().scale()).hasValue(65536);
        assertThat(after.steps().get(1).scaled().orElseThrow().scale()).hasValue(32768);
        assertThat(Trained.run(text, 3, OVERFLOWS).state().get("w"))
                .isNotEqualTo(after.state().get("w"));
    }

    @Test
    void aFixedScaleStaysAndChangesNothingElse() {
        Trained scaled = Trained.run(ROOT.formatted("none", "64"), 4, OVERFLOWS);
        assertThat(scaled.steps()).extracting(StepResult::skipped).containsExactly(false, true, false, false);
        assertThat(scaled.steps().getLast().scaled().orElseThrow().scale()).isEmpty();
        assertThat(scaled.steps().getLast().scaled().orElseThrow().skippedSoFar())
                .isEqualTo(1);
        Trained moving = Trained.run(ROOT.formatted("none", "dynamic"), 4, OVERFLOWS);
        assertThat(scaled.state().get("w")).isEqualTo(moving.state().get("w"));
        assertThat(scaled.steps())
                .extracting(StepResult::loss)
                .isEqualTo(moving.steps().stream().map(StepResult::loss).toList());
    }

    @Test
    void withoutScalingNothingIsSkipped() {
        Trained trained = Trained.run(ROOT.formatted("none", "none"), 1, OVERFLOWS);
        assertThat(trained.steps().getFirst().scaled()).isEmpty();
        assertThatThrownBy(() -> Trained.run(ROOT.formatted("none", "none"), 3, OVERFLOWS))
                .isInstanceOf(NotANumberException.class);
    }

    @Test
    void aLossThatIsNotFiniteStopsTheRun() {
        assertThatThrownBy(() -> Trained.run(ROOT.formatted("none", "dynamic"), 1, (step, element) -> Double.NaN))
                .isInstanceOf(NotANumberException.class)
                .hasMessageContaining("the loss of step 1 is NaN");
    }

    @Test
    void gradientsThatNoScaleMakesFiniteStopTheRun() {
        assertThatThrownBy(() ->
                        Trained.run(ROOT.formatted("none", "dynamic(init_scale = 2e-38)"), 9, (step, element) -> 0))
                .isInstanceOf(NotANumberException.class)
                .hasMessageContaining("however small the loss scale");
    }

    @Test
    void lossesAreSkippedOneByOneAndShareTheScale() {
        Trained trained = Trained.run("""
            remat 1

            model Two {
              input x: f32[1]
              param v: f32[1] = ones
              param w: f32[1] = ones
              first = sum(v * x)
              second = sum(sqrt(w * x))
            }

            train {
              minimize first { parameters "v"; optimizer adam(lr = 0.1) }
              minimize second { parameters "w"; optimizer adam(lr = 0.1) }
              loss_scale dynamic(init_scale = 8.0)
            }
            """, 2, (step, element) -> step == 1 ? 0 : 1);
        // Adam moves by its rate in the first step; in the second the gradient by v is 0 and that by w no number.
        assertThat(trained.value("w")).isCloseTo(0.9, within(1e-6));
        assertThat(trained.value("v")).isLessThan(0.85);
        assertThat(trained.steps().getLast().skipped()).isTrue();
        assertThat(trained.steps().getLast().scaled().orElseThrow().skippedSoFar())
                .isEqualTo(1);
        assertThat(trained.steps().getLast().scaled().orElseThrow().scale()).hasValue(4);
    }

    /** Losses, what was skipped, and the hash of the state. */
    private record Trace(List<Double> losses, List<Boolean> skipped, String hash) {}

    private static Trace train(Compilation compilation) {
        try (CpuExecutable executable = new CpuExecutable(compilation.plan(), new CpuExecutable.Options(1, true));
                SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(
                    executable,
                    data.training(
                            InputFeed.specs(compilation.plan()),
                            compilation.plan().seed()));
            List<StepResult> steps = Stream.generate(trainer::step).limit(12).toList();
            return new Trace(
                    steps.stream().map(StepResult::loss).toList(),
                    steps.stream().map(StepResult::skipped).toList(),
                    trainer.state().hash());
        }
    }

    private static Compilation compile(String scale, String strategy) {
        String text = """
            remat 1

            model Narrow {
              input x: f32[256, 32]
              h = x
              repeat 6 { h = h + dropout(h |> linear(32) |> gelu, 0.1) }
              loss = mean(h ** 2)
            }

            train {
              minimize loss
              optimizer adamw(lr = 0.01, clip_norm = 1.0)
              precision f16
              %s
              average ema(decay = 0.5)
            }
            """.formatted(scale);
        ElaboratedModel model = Trained.elaborate(text, Purpose.TRAIN).withPrecision(DType.F16);
        return Trained.compile(model, CompileOptions.defaults().withStrategy(strategy));
    }

    @Test
    void everyPlanSkipsTheSameStepsAndLeavesTheSameBits() {
        Trace kept = train(compile("loss_scale dynamic(init_scale = 67108864.0)", "keep-all"));
        assertThat(kept.skipped()).contains(true, false);
        for (String strategy : List.of("sqrt", "segments=3")) {
            Compilation other = compile("loss_scale dynamic(init_scale = 67108864.0)", strategy);
            assertThat(other.evaluation().recomputations()).isPositive();
            assertThat(train(other)).as(strategy).isEqualTo(kept);
        }
    }

    @Test
    void f16ScalesByItself() {
        assertThat(train(compile("", "keep-all"))).isEqualTo(train(compile("loss_scale dynamic", "keep-all")));
        assertThat(train(compile("", "keep-all")).hash())
                .isNotEqualTo(train(compile("loss_scale none", "keep-all")).hash());
    }
}
