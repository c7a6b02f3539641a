package dev.remat.runtime.text.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.Dataset.Share;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.Samples;
import dev.remat.runtime.text.Tokenizer;
import dev.remat.runtime.text.TokenizerFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenizedTextTest {
    private static final InputSpec TOKENS = new InputSpec("input_ids", DType.I64, List.of(2L, 3L));
    private static final InputSpec TARGETS = new InputSpec("targets", DType.I64, List.of(2L, 3L));

    @TempDir
    Path folder;

    /** The words w0, w1 and so on are the numbers 0, 1 and so on, and no other word is known. */
    private Tokenizer tokenizer(int words) throws IOException {
        StringBuilder vocab = new StringBuilder();
        for (int i = 0; i < words; i++) {
            vocab.append(i == 0 ? "" : ", ")
                    .append("\"w")
                    .append(i)
                    .append("\": ")
                    .append(i);
        }
        return TokenizerFile.read(Files.writeString(
                folder.resolve("tokenizer.json"),
                "{\"model\": {\"type\": \"WordLevel\", \"vocab\": {" + vocab
                        + "}}, \"pre_tokenizer\": {\"type\": \"WhitespaceSplit\"}}"));
    }

    private Path words(int count) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append('w').append(i).append(i % 5 == 4 ? "\n" : " ");
        }
        return Files.writeString(folder.resolve("text"), text);
    }

    private static long[] row(Samples samples, long sample, InputSpec input) {
        MemorySegment target = Arena.ofAuto().allocate(3 * Long.BYTES, Long.BYTES);
        samples.copy(sample, input, target, 0);
        return target.toArray(ValueLayout.JAVA_LONG);
    }

    @Test
    void windowsAreOfTokensAndTheLastTenthIsHeldBack() throws IOException {
        try (TextDataset text = TextDataset.open(words(40), tokenizer(40))) {
            Samples training = text.samples(List.of(TOKENS, TARGETS), Share.TRAINING);
            assertThat(training.count()).isEqualTo(11);
            assertThat(row(training, 0, TOKENS)).containsExactly(0, 1, 2);
            assertThat(row(training, 10, TOKENS)).containsExactly(30, 31, 32);
            assertThat(row(training, 10, TARGETS)).containsExactly(31, 32, 33);
            Samples heldBack = text.samples(List.of(TOKENS, TARGETS), Share.HELD_BACK);
            assertThat(heldBack.count()).isEqualTo(1);
            assertThat(row(heldBack, 0, TOKENS)).containsExactly(36, 37, 38);
        }
    }

    @Test
    void whatDoesNotFitIsSaid() throws IOException {
        Path few = words(3);
        try (TextDataset text = TextDataset.open(few, tokenizer(3))) {
            assertThatThrownBy(() -> text.samples(List.of(TOKENS, TARGETS), Share.ALL))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("has 3 tokens for evaluation, but a window takes 4");
        }
        Tokenizer fewer = tokenizer(2);
        assertThatThrownBy(() -> TextDataset.open(few, fewer))
                .isInstanceOf(DataException.class)
                .hasMessageContaining(few.toString())
                .hasMessageContaining("'w2'");
    }

    /** Another tokenizer makes other data, to a run that goes on. */
    @Test
    void tokensAreWhatTellsTextsApart() throws IOException {
        Path file = Files.writeString(folder.resolve("text"), "w0 w1");
        Path spaced = Files.writeString(folder.resolve("spaced"), "w0\n  w1");
        Path other = Files.writeString(folder.resolve("other"), "w1 w0");
        Tokenizer tokenizer = tokenizer(2);
        try (TextDataset one = TextDataset.open(file, tokenizer);
                TextDataset same = TextDataset.open(spaced, tokenizer);
                TextDataset another = TextDataset.open(other, tokenizer)) {
            assertThat(one.identity()).isEqualTo(same.identity()).isNotEqualTo(another.identity());
        }
    }
}
