package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.op.ScatterShares;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.promises.RankRun.Outcome;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code gradients bf16}: each micro-batch's are rounded, and their sums are not. */
class RoundedGradientsTest {
    /** Its gradient by each element of {@code p} is the number of rows. */
    private static String sums(String settings) {
        return """
            remat 1
            model Sums {
              symbol B
              input x: f32[B, 4]
              param p: f32[3, 4] = zeros
              loss = sum(linear(x * 0.0 + 1.0, 3, weight = p, bias = false))
            }
            train {
              minimize loss
              optimizer sgd(lr = 0.1)
              %s
            }
            """.formatted(settings);
    }

    /** bf16 has eight bits: of 1001 it makes 1000. f16 has eleven. Nothing is added up where the batch is whole. */
    @ParameterizedTest
    @CsvSource({
        "gradients f32, F32, 2, 2002",
        "gradients bf16, F32, 2, 2000",
        "gradients bf16, BF16, 2, 2000",
        "gradients f16, F32, 2, 2002",
        "gradients bf16, F32, 1, 2002",
        "'', BF16, 2, 2002",
    })
    void whatIsAddedIsRoundedAndSumsAreNot(String setting, DType precision, int microBatches, float expected) {
        ElaboratedModel model = TrialRun.cut(sums(setting), "B=2002", Purpose.GRADIENTS, microBatches, precision);
        FloatBuffer gradient = TrialRun.outputs(TrialRun.compile(model, CompileOptions.defaults()), 1)
                .get("grad.p")
                .order(ByteOrder.nativeOrder())
                .asFloatBuffer();
        float[] values = new float[gradient.remaining()];
        gradient.get(values);
        assertThat(values).hasSize(12).containsOnly(expected);
    }

    private static ElaboratedModel tied(String settings, DType precision) {
        String text = """
            remat 1
            model Tied {
              symbol B
              input tokens: i32[B, 8]
              input targets: i32[B, 8]
              x = embedding(tokens, 96, 256) as table
              repeat 3 {
                x = x + dropout(gelu(linear(layer_norm(x), 256) as mix), 0.1)
              }
              loss = cross_entropy(linear(x, 96, weight = table.weight, bias = false) as head, targets)
            }
            train {
              minimize loss
              optimizer adamw(lr = 0.01, clip_norm = 1.0)
              %s
            }
            """.formatted(settings);
        return TrialRun.cut(text, "B=16", Purpose.TRAIN, 4, precision);
    }

    private static ExecutionPlan plan(ElaboratedModel model, CompileOptions options) {
        return TrialRun.compile(model, options).plan();
    }

    @ParameterizedTest
    @CsvSource({"gradients bf16, F32", "gradients bf16, BF16", "gradients bf16; sums by_use, BF16"})
    void ranksAndStagesHaveTheBitsOfOne(String settings, DType precision) {
        ElaboratedModel model = tied(settings, precision);
        Outcome alone = RankRun.train(plan(model, CompileOptions.defaults()));
        assertThat(RankRun.train(plan(model, CompileOptions.defaults().withStrategy("peak-priority"))))
                .isEqualTo(alone);
        for (Sharding sharding : new Sharding[] {Sharding.NONE, Sharding.OPTIMIZER, Sharding.PARAMETERS}) {
            for (int ranks : new int[] {2, 4}) {
                CompileOptions options =
                        CompileOptions.defaults().onRanks(ranks).with(sharding);
                assertThat(RankRun.train(plan(model, options)))
                        .as("%d ranks, %s", ranks, sharding)
                        .isEqualTo(alone);
            }
        }
        CpuTarget target = new CpuTarget();
        RooflineCost costs = new RooflineCost(target.device());
        CompileStages stages = new CompileStages(new Compiler(target, costs), target, costs);
        Staging two = new Staging(2, Schedule.ONE_F_ONE_B);
        assertThat(RankRun.train(
                        stages.run(model, CompileOptions.defaults(), two).plans()))
                .isEqualTo(alone);
        assertThat(alone).isNotEqualTo(RankRun.train(plan(tied("", precision), CompileOptions.defaults())));
    }

    /** All of a table's are on their way in two bytes an element. */
    @Test
    void ranksSendHalfAsMuch() {
        assertThat(scattered("")).isEqualTo(2 * scattered("gradients bf16"));
    }

    private static long scattered(String settings) {
        return plan(tied(settings, DType.F32), CompileOptions.defaults().onRanks(2)).steps().stream()
                .filter(step -> step.body().instructions().getFirst().op() instanceof ScatterShares)
                .mapToLong(step -> step.read(0).type().bytes())
                .sum();
    }
}
