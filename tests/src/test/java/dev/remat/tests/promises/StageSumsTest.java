package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.PlanSet;
import dev.remat.ir.op.Send;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.promises.RankRun.Outcome;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A tied parameter, which the first and the last stage read, whose gradients are added up by use. */
@Tag("slow")
class StageSumsTest {
    private static final int VOCABULARY = 96;
    private static final int WIDTH = 16;
    private static final long TABLE = 4L * VOCABULARY * WIDTH;

    private static String text(String sums) {
        return """
            remat 1
            model Tied {
              symbol B
              input tokens: i32[B, 8]
              input targets: i32[B, 8]
              x = embedding(tokens, 96, 16) as table
              repeat 4 {
                x = x + dropout(gelu(linear(layer_norm(x), 16) as mix), 0.1)
              }
              loss = cross_entropy(linear(x, 96, weight = table.weight, bias = false) as head, targets)
            }
            train {
              minimize loss
              optimizer adamw(lr = 0.01, clip_norm = 1.0)
              %s
            }
            """.formatted(sums);
    }

    private static ElaboratedModel model(String sums, int pieces, DType precision) {
        return TrialRun.cut(text(sums), "B=16", Purpose.TRAIN, pieces, precision);
    }

    private static PlanSet plan(ElaboratedModel model, Staging staging, CompileOptions options) {
        CpuTarget target = new CpuTarget();
        RooflineCost costs = new RooflineCost(target.device());
        return new CompileStages(new Compiler(target, costs), target, costs)
                .run(model, options, staging)
                .plans();
    }

    private static Outcome alone(ElaboratedModel model) {
        return RankRun.train(TrialRun.compile(model, CompileOptions.defaults()).plan());
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "BF16"})
    void stateIsThatOfOneStage(DType precision) {
        ElaboratedModel model = model("sums by_use", 4, precision);
        Outcome alone = alone(model);
        for (Staging staging : List.of(
                new Staging(2, Schedule.ONE_F_ONE_B),
                new Staging(3, Schedule.ZERO_BUBBLE),
                new Staging(4, Schedule.GPIPE),
                new Staging(2, Schedule.interleaved(2)))) {
            assertThat(RankRun.train(plan(model, staging, CompileOptions.defaults())))
                    .as("%s", staging)
                    .isEqualTo(alone);
        }
        CompileOptions shared = CompileOptions.defaults().onRanks(2).with(Sharding.PARAMETERS);
        assertThat(RankRun.train(plan(model, new Staging(2, Schedule.ONE_F_ONE_B), shared)))
                .isEqualTo(alone);
    }

    /** The table goes to the last stage once, and its gradient back once, or once for every micro-batch. */
    @Test
    void aTableOfGradientsIsSentOnceAStep() {
        for (int pieces : List.of(2, 4, 8)) {
            assertThat(tablesSent("sums by_use", pieces)).isEqualTo(2 * TABLE);
            assertThat(tablesSent("", pieces)).isEqualTo((1 + pieces) * TABLE);
        }
    }

    private static long tablesSent(String sums, int pieces) {
        return plan(model(sums, pieces, DType.F32), new Staging(3, Schedule.ONE_F_ONE_B), CompileOptions.defaults())
                .stages()
                .stream()
                .flatMap(stage -> stage.steps().stream())
                .filter(step -> step.body().instructions().getFirst().op() instanceof Send)
                .mapToLong(step -> step.read(0).type().bytes())
                .filter(bytes -> bytes == TABLE)
                .sum();
    }

    /** One micro-batch has one order alone, and several differ by rounding. */
    @Test
    void ordersDifferByRounding() {
        Outcome byUse = alone(model("sums by_use", 4, DType.F64));
        Outcome usual = alone(model("", 4, DType.F64));
        assertThat(byUse.state()).isNotEqualTo(usual.state());
        assertThat(byUse.losses().getFirst()).isEqualTo(usual.losses().getFirst());
        assertThat(byUse.losses().getLast()).isCloseTo(usual.losses().getLast(), within(1e-10));
        assertThat(alone(model("sums by_use", 1, DType.F32))).isEqualTo(alone(model("", 1, DType.F32)));
    }
}
