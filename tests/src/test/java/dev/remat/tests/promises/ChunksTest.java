package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.tests.promises.TrialRun.Outcome;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Losses that are computed a chunk of rows at a time give the bits that they give whole. */
@Tag("slow")
class ChunksTest {
    private static final int STEPS = 2;
    private static final String SIZE = "B=10,T=128,vocab=2057,width=16,depth=1,heads=2,context=128";

    /** 1,280 rows are five runs of 256, of which 2, 3 and 4 chunks get unlike numbers; 9 come to five. */
    @ParameterizedTest
    @CsvSource({"f32,2", "f32,3", "f32,4", "f32,9", "bf16,3", "f16,5"})
    void trainingHasTheBitsOfTheWhole(String precision, int chunks) throws IOException {
        String text = TrialRun.sample("gpt").replace("precision f32", "precision " + precision);
        same(text, SIZE, chunks, Math.min(chunks, 5));
    }

    @Test
    void trainingInF64HasTheBitsOfTheWhole() throws IOException {
        ElaboratedModel model = TrialRun.elaborate(TrialRun.sample("gpt"), SIZE, Purpose.TRAIN);
        same(model.withPrecision(DType.F64), 4, 4);
    }

    /** In chunks of 768 rows, but for the last; of 301 classes some seven targets are the one that is ignored. */
    @Test
    void targetsThatAreIgnoredAndSmoothedAreCountedOverAllChunks() {
        same("""
            remat 1
            model Head(classes: int = 301) {
              symbol B
              input x: f32[B, 24]
              input labels: i32[B]
              h = x |> linear(40) |> gelu |> dropout(0.2)
              logits = 30.0 * tanh(linear(h, classes, bias = false) / 30.0)
              loss = cross_entropy(logits, labels, label_smoothing = 0.1, ignore_index = 7)
            }
            train {
              minimize loss
              optimizer adamw(lr = 3e-3, clip_norm = 1.0)
              seed 3
            }
            """, "B=2200", 9, 3);
    }

    /** Sums over rows for the bias go on from chunk to chunk as those of the weight do. */
    @ParameterizedTest
    @CsvSource({"f32", "bf16", "f16"})
    void theBiasOfAHeadHasTheBitsOfTheWhole(String precision) {
        same("""
            remat 1
            model Head(classes: int = 4099) {
              symbol B
              input x: f32[B, 24]
              input labels: i32[B]
              h = x |> linear(40) |> gelu
              loss = cross_entropy(linear(h, classes) as head, labels)
            }
            train {
              minimize loss
              optimizer adamw(lr = 3e-3, clip_norm = 1.0)
              precision %s
              seed 3
            }
            """.formatted(precision), "B=1100", 4, 4);
    }

    private static void same(String text, String size, int chunks, int expected) {
        same(TrialRun.elaborate(text, size, Purpose.TRAIN), chunks, expected);
    }

    private static void same(ElaboratedModel model, int chunks, int expected) {
        Compilation whole = TrialRun.compile(model, options(Chunks.OFF));
        Compilation cut = TrialRun.compile(model, options(Chunks.of(chunks)));
        assertThat(whole.step().chunked()).isEmpty();
        assertThat(cut.step().chunked()).singleElement().satisfies(loss -> {
            assertThat(loss.count()).isEqualTo(expected);
            assertThat(loss.bytes()).isLessThan(loss.wholeBytes());
        });
        Outcome plain = TrialRun.train(whole, STEPS, 1, false);
        Outcome chunked = TrialRun.train(cut, STEPS, 2, true);
        assertThat(chunked.losses()).isEqualTo(plain.losses());
        assertThat(chunked.stateHash()).isEqualTo(plain.stateHash());
    }

    private static CompileOptions options(Chunks chunks) {
        return CompileOptions.defaults().with(chunks);
    }
}
