package dev.remat.runtime.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.io.CorruptFileException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ResumeRulesTest {
    private static final Path RUN = Path.of("run");
    private static final RunFacts BEFORE = Runs.facts(1);

    private static List<String> check(RunFacts now, Part... allowed) {
        return ResumeRules.check(RUN, BEFORE, now, EnumSet.allOf(Part.class), Set.of(allowed));
    }

    @Test
    void theSameRunGoesOnWithoutAWord() {
        assertThat(check(Runs.facts(1))).isEmpty();
    }

    @Test
    void anotherModelIsAlwaysRefused() {
        for (RunFacts other : List.of(
                BEFORE.with(Part.MODEL, Map.of(RunFacts.MODEL_NAME, "Tiny", "hash", "def")),
                BEFORE.with(Part.HYPER_PARAMETERS, Map.of("depth", "4")),
                BEFORE.with(Part.HYPER_PARAMETERS, Map.of("depth", "3", "width", "4")))) {
            assertThatThrownBy(() -> check(other, ResumeRules.allowable().toArray(Part[]::new)))
                    .isInstanceOf(CorruptFileException.class)
                    .hasMessageContaining("another model");
        }
        assertThatThrownBy(() -> check(BEFORE.with(Part.HYPER_PARAMETERS, Map.of("depth", "4"))))
                .hasMessageContaining("depth is 4, was 3");
    }

    @Test
    void anotherRunIsRefusedWithBothValuesUnlessAllowed() {
        RunFacts other = BEFORE.with(Part.SYMBOLS, Map.of("B", "8", "T", "16")).with(Part.DATA, Map.of("bytes", "1"));
        assertThatThrownBy(() -> check(other))
                .isInstanceOf(CorruptFileException.class)
                .hasMessage("run: is of another run: B is 8, was 4; data bytes is 1, was 2000;"
                        + " --allow-changed symbols,data goes on all the same");
        assertThatThrownBy(() -> check(other, Part.SYMBOLS))
                .hasMessageContaining("--allow-changed data")
                .hasMessageNotContaining("B is 8");
        assertThat(check(other, Part.SYMBOLS, Part.DATA)).containsExactly("B is 8, was 4", "data bytes is 1, was 2000");
        assertThatThrownBy(() -> check(BEFORE.with(Part.PRECISION, "bf16")))
                .hasMessageContaining("precision is bf16, was f32");
        assertThatThrownBy(() -> check(Runs.facts(2))).hasMessageContaining("seed is 2, was 1");
    }

    @Test
    void trainingAndPlatformMayChangeAndAreTold() {
        assertThat(check(BEFORE.with(Part.TRAINING, Map.of("optimizer", "adamw(lr = 1e-3)"))))
                .containsExactly("optimizer is adamw(lr = 1e-3), was adamw(lr = 1e-2)");
        assertThat(check(BEFORE.with(Part.PLATFORM, Map.of("openblas", "Zen", "onednn", "avx2"))))
                .containsExactly("onednn is avx2, was not there", "openblas is Zen, was Haswell");
    }

    @Test
    void anotherNumberOfMicroBatchesIsToldAndOneGoesWithoutSaying() {
        RunFacts cut = BEFORE.with(Part.MICRO_BATCHES, "8");
        assertThat(check(cut)).containsExactly("micro_batches is 8, was 1");
        assertThat(ResumeRules.check(RUN, cut, BEFORE, EnumSet.allOf(Part.class), Set.of()))
                .containsExactly("micro_batches is 1, was 8");
        assertThat(ResumeRules.check(RUN, cut, cut, EnumSet.allOf(Part.class), Set.of()))
                .isEmpty();
        assertThat(cut.with(Part.MICRO_BATCHES, "1")).isEqualTo(BEFORE);
        assertThat(check(BEFORE.with(Part.MICRO_BATCHES, Map.of("micro_batches", "1"))))
                .isEmpty();
    }

    @Test
    void noRunHasLessThanOneMicroBatch() {
        assertThat(BEFORE.microBatches()).isEqualTo(1);
        assertThat(BEFORE.with(Part.MICRO_BATCHES, "8").microBatches()).isEqualTo(8);
        for (String number : List.of("0", "-2", "2.5", "many", "9999999999")) {
            assertThatThrownBy(() -> BEFORE.with(Part.MICRO_BATCHES, number))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
