package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.pipeline.TooFewBlocksException;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.PlanSet;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.cpu.CpuTarget;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where a model says {@code stage}, it is cut, and nowhere else; no bit changes. */
@Tag("slow")
class StageMarksTest {
    private static final int PIECES = 4;
    private static final Staging TWO = new Staging(2, Schedule.ONE_F_ONE_B);
    private static final Staging THREE = new Staging(3, Schedule.ONE_F_ONE_B);

    /** Six layers that take equally long. */
    private static String text(String mark, String inLayer, boolean twice) {
        return """
            remat 1
            model Marked {
              symbol B
              input x: f32[B, 64]
              layer Twice(h) {
                h = tanh(linear(h, 64) as first)
                %2$s
                return tanh(linear(h, 64) as second)
              }
              h = x
              for i in range(6) {
                %1$s
                h = if i == 5 and %3$s then Twice(h) else tanh(linear(h, 64) as mix)
              }
              loss = mean(h ** 2)
            }
            train {
              minimize loss
              optimizer adam(lr = 0.01)
            }
            """.formatted(mark, inLayer, twice);
    }

    private static ElaboratedModel model(String mark) {
        return model(mark, "", false);
    }

    private static ElaboratedModel model(String mark, String inLayer, boolean twice) {
        return TrialRun.cut(text(mark, inLayer, twice), "B=16", Purpose.TRAIN, PIECES, DType.F32);
    }

    private static PlanSet plan(ElaboratedModel model, Staging staging) {
        CpuTarget target = new CpuTarget();
        RooflineCost costs = new RooflineCost(target.device());
        return new CompileStages(new Compiler(target, costs), target, costs)
                .run(model, CompileOptions.defaults(), staging)
                .plans();
    }

    /** The layers of each stage. */
    private static List<List<String>> layers(PlanSet set) {
        return set.stages().stream()
                .map(stage -> stage.inputs().stream()
                        .map(input -> input.name())
                        .filter(name -> name.endsWith(".weight")
                                && !name.startsWith("optimizer")
                                && !name.startsWith("accumulated"))
                        .map(name -> name.replace(".weight", "").replace("mix.", ""))
                        .sorted()
                        .toList())
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // As many marks as there are borders.
                "if i == 1 or i == 2 { stage } | 3 | 1 | [[0], [1], [2, 3, 4, 5]]",
                // Those of more by which the longest part is the shortest.
                "if i == 1 or i == 2 { stage } | 2 | 1 | [[0, 1], [2, 3, 4, 5]]",
                "if i > 2 { stage } | 2 | 1 | [[0, 1, 2], [3, 4, 5]]",
                // Nothing is in front of the first mark, and nothing between two.
                "if i % 2 == 0 { stage; stage } | 3 | 1 | [[0, 1], [2, 3], [4, 5]]",
                // Parts of a stage are marked as well.
                "if i > 0 and i < 4 { stage } | 2 | 2 | [[0, 2], [1, 3, 4, 5]]",
                // A condition that never holds marks nothing.
                "if i > 9 { stage } | 3 | 1 | [[0, 1], [2, 3], [4, 5]]",
            })
    void aModelIsCutWhereItSays(String mark, int stages, int parts, String layers) {
        Schedule schedule = parts == 1 ? Schedule.ONE_F_ONE_B : Schedule.interleaved(parts);
        assertThat(layers(plan(model(mark), new Staging(stages, schedule)))).hasToString(layers);
    }

    @Test
    void layersMayBeCutInside() {
        assertThat(layers(plan(model("", "stage", true), TWO)))
                .containsExactly(List.of("0", "1", "2", "3", "4", "twice.0.first"), List.of("twice.0.second"));
        assertThat(layers(plan(model("", "", true), TWO)).getFirst()).hasSizeBetween(3, 4);
    }

    @Test
    void morePartsThanMarkedAreRefused() {
        assertThatThrownBy(() -> plan(model("if i % 3 == 0 { stage }"), THREE))
                .isInstanceOfSatisfying(TooFewBlocksException.class, e -> {
                    assertThat(e.blocks()).isEqualTo(2);
                    assertThat(e.marked()).isTrue();
                });
        assertThatThrownBy(() -> plan(model(""), new Staging(60, Schedule.GPIPE)))
                .isInstanceOfSatisfying(
                        TooFewBlocksException.class, e -> assertThat(e.marked()).isFalse());
    }

    @Test
    void bitsAreThoseOfAModelWithoutMarks() {
        ElaboratedModel marked = model("if i == 1 or i == 2 { stage }");
        RankRun.Outcome alone = RankRun.train(
                TrialRun.compile(model(""), CompileOptions.defaults()).plan());
        assertThat(RankRun.train(
                        TrialRun.compile(marked, CompileOptions.defaults()).plan()))
                .isEqualTo(alone);
        assertThat(RankRun.train(plan(marked, TWO))).isEqualTo(alone);
        assertThat(RankRun.train(plan(marked, new Staging(3, Schedule.ZERO_BUBBLE))))
                .isEqualTo(alone);
    }
}
