package dev.remat.compiler.elaborate;

import static dev.remat.compiler.elaborate.Models.elaborate;
import static dev.remat.compiler.elaborate.Models.findings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.batch.Sums;
import dev.remat.ir.DType;
import org.junit.jupiter.api.Test;

class MicroBatchesSettingTest {
    private static String model(String setting) {
        return """
            remat 1
            model M(pieces: int = 2) {
              symbol B
              input x: f32[B, 4]
              param w: f32[4] = ones
              loss = mean(x * w)
              other = mean(x - w)
            }
            train {
              minimize loss { parameters "*"; optimizer sgd(lr = 0.1) }
              %s
            }
            """.formatted(setting);
    }

    private static int microBatches(String setting, String... settings) {
        return elaborate(model(setting), settings).training().microBatches();
    }

    @Test
    void theWholeBatchRunsAtOnceUnlessTheModelSaysOtherwise() {
        assertThat(microBatches("")).isEqualTo(1);
        assertThat(microBatches("micro_batches 1")).isEqualTo(1);
        assertThat(microBatches("micro_batches 8")).isEqualTo(8);
    }

    @Test
    void theNumberMayFollowFromHyperParametersAndBoundSymbols() {
        assertThat(microBatches("micro_batches 2 * pieces")).isEqualTo(4);
        assertThat(microBatches("micro_batches 2 * pieces", "pieces=3")).isEqualTo(6);
        assertThat(microBatches("micro_batches B / 4", "B=32")).isEqualTo(8);
        assertThat(findings(model("micro_batches B / 4")))
                .singleElement()
                .asString()
                .startsWith("E03");
    }

    /** The losses of a step run over the same rows together. */
    @Test
    void aLossHasNoNumberOfItsOwn() {
        assertThat(findings(model("minimize other { micro_batches 2; optimizer sgd(lr = 0.1) }")))
                .anySatisfy(finding -> assertThat(finding).contains("unknown setting 'micro_batches'"));
        assertThat(findings(model("micro_batches"))).containsExactly("E0402 11:3 'micro_batches' misses its value");
    }

    @Test
    void everyOtherSettingStaysAsItIs() {
        ElaboratedModel whole = elaborate(model("seed 3; precision bf16"));
        ElaboratedModel cut = whole.withMicroBatches(4);
        assertThat(cut.training()).isNotEqualTo(whole.training());
        assertThat(cut.training().microBatches()).isEqualTo(4);
        assertThat(cut.withMicroBatches(1)).isEqualTo(whole);
        assertThat(cut.withSeed(9).training().microBatches()).isEqualTo(4);
        assertThat(cut.withPrecision(whole.training().precision())).isEqualTo(cut);
        assertThat(cut.withoutAverage()).isEqualTo(cut);
        assertThatThrownBy(() -> whole.withMicroBatches(0)).hasMessage("micro_batches must be 1 or more, and is 0");
    }

    /** Which is told of a run, for it is part of how it is trained. */
    @Test
    void theOrderOfSumsIsSetApart() {
        assertThat(elaborate(model("")).training().sums()).isEqualTo(Sums.BY_MICRO_BATCH);
        assertThat(elaborate(model("sums by_micro_batch")).training().sums()).isEqualTo(Sums.BY_MICRO_BATCH);
        ElaboratedModel byUse = elaborate(model("sums by_use; micro_batches 4; seed 3"));
        assertThat(byUse.training().sums()).isEqualTo(Sums.BY_USE);
        assertThat(byUse.identity().training()).containsEntry("sums", "by_use");
        assertThat(byUse.withMicroBatches(2)
                        .withSeed(4)
                        .withoutAverage()
                        .training()
                        .sums())
                .isEqualTo(Sums.BY_USE);
        assertThat(findings(model("sums 3"))).containsExactly("E0402 11:8 sums is by_micro_batch or by_use");
        assertThat(findings(model("sums by_users"))).containsExactly("E0402 11:8 sums is by_micro_batch or by_use");
    }

    /** Another type of gradients is another training. */
    @Test
    void whatGradientsAreRoundedToIsSetApart() {
        assertThat(elaborate(model("")).training().gradients()).isEqualTo(DType.F32);
        ElaboratedModel narrow = elaborate(model("gradients bf16; micro_batches 4; seed 3"));
        assertThat(narrow.training().gradients()).isEqualTo(DType.BF16);
        assertThat(narrow.identity().training()).containsEntry("gradients", "bf16");
        assertThat(narrow.withMicroBatches(2)
                        .withSeed(4)
                        .withPrecision(DType.BF16)
                        .withoutAverage()
                        .training()
                        .gradients())
                .isEqualTo(DType.BF16);
        assertThat(findings(model("gradients 16"))).containsExactly("E0402 11:13 gradients are f32, bf16 or f16");
        assertThat(findings(model("gradients i32"))).containsExactly("E0402 11:13 gradients are f32, bf16 or f16");
    }

    /** The plan's identity tells of it; what parameters mean and how they are trained does not. */
    @Test
    void theHashTellsOfItAndTheIdentityDoesNot() {
        ElaboratedModel whole = elaborate(model(""));
        ElaboratedModel cut = elaborate(model("micro_batches 4"));
        assertThat(cut.hash()).isNotEqualTo(whole.hash());
        assertThat(whole.withMicroBatches(4).hash()).isEqualTo(whole.hash());
        assertThat(cut.identity()).isEqualTo(whole.identity());
        assertThat(elaborate(model("loss_scale 4")).identity()).isNotEqualTo(whole.identity());
    }
}
