package dev.remat.runtime.text.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.Dataset.Share;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.Samples;
import dev.remat.runtime.text.ByteTokenizer;
import dev.remat.runtime.text.Tokenizer;
import dev.remat.runtime.text.TokenizerFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LabelledTextTest {
    private static final long T = 8;
    private static final InputSpec IDS = new InputSpec("input_ids", DType.I64, List.of(2L, T));
    private static final InputSpec MASK = new InputSpec("attention_mask", DType.F32, List.of(2L, T));
    private static final InputSpec TYPES = new InputSpec("token_type_ids", DType.I32, List.of(2L, T));
    private static final InputSpec LABELS = new InputSpec("labels", DType.I64, List.of(2L));

    @TempDir
    Path folder;

    /** The words a to z are 1 to 26, [PAD] is 30, and [CLS] and [SEP] as BERT has them around texts. */
    private Tokenizer tokenizer() throws IOException {
        StringBuilder vocab = new StringBuilder("\"[UNK]\": 0, \"[PAD]\": 30, \"[CLS]\": 31, \"[SEP]\": 32");
        for (char letter = 'a'; letter <= 'z'; letter++) {
            vocab.append(", \"").append(letter).append("\": ").append(letter - 'a' + 1);
        }
        return TokenizerFile.read(Files.writeString(
                folder.resolve("tokenizer.json"),
                "{\"model\": {\"type\": \"WordPiece\", \"unk_token\": \"[UNK]\", \"vocab\": {" + vocab
                        + "}}, \"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"}, \"post_processor\": {\"type\":"
                        + " \"BertProcessing\", \"cls\": [\"[CLS]\", 31], \"sep\": [\"[SEP]\", 32]}}"));
    }

    private LabelledText open(String name, String content, TextColumns columns) throws IOException {
        return LabelledText.open(Files.writeString(folder.resolve(name), content), tokenizer(), columns);
    }

    private static List<Number> row(Samples samples, long sample, InputSpec input) {
        MemorySegment target = Arena.ofAuto().allocate(input.columns() * Long.BYTES, Long.BYTES);
        samples.copy(sample, input, target, 0);
        List<Number> row = new ArrayList<>();
        for (long i = 0; i < input.columns(); i++) {
            row.add(
                    switch (input.dtype()) {
                        case I64 -> target.getAtIndex(ValueLayout.JAVA_LONG, i);
                        case I32 -> (long) target.getAtIndex(ValueLayout.JAVA_INT, i);
                        default -> target.getAtIndex(ValueLayout.JAVA_FLOAT, i);
                    });
        }
        return row;
    }

    private static List<Number> numbers(long... numbers) {
        List<Number> all = new ArrayList<>();
        for (long number : numbers) {
            all.add(number);
        }
        return all;
    }

    @Test
    void aTextIsFramedFilledUpAndMasked() throws IOException {
        try (LabelledText text = open("t.csv", "text,label\na b c,1\n\"a,\nb\",0\n", TextColumns.USUAL)) {
            Samples samples = text.samples(List.of(IDS, MASK, TYPES, LABELS), Share.ALL);
            assertThat(samples.count()).isEqualTo(2);
            assertThat(row(samples, 0, IDS)).isEqualTo(numbers(31, 1, 2, 3, 32, 30, 30, 30));
            assertThat(row(samples, 0, MASK)).containsExactly(1f, 1f, 1f, 1f, 1f, 0f, 0f, 0f);
            assertThat(row(samples, 0, TYPES)).isEqualTo(numbers(0, 0, 0, 0, 0, 0, 0, 0));
            assertThat(row(samples, 0, LABELS)).isEqualTo(numbers(1));
            // A comma and the end of a line within quotes are of the text; the comma is a word that is not known.
            assertThat(row(samples, 1, IDS)).isEqualTo(numbers(31, 1, 0, 2, 32, 30, 30, 30));
            assertThat(row(samples, 1, LABELS)).isEqualTo(numbers(0));
            assertThat(text.unread(List.of(IDS, LABELS))).isEmpty();
        }
    }

    @Test
    void whatIsTooLongIsCutAndSpecialTokensStay() throws IOException {
        try (LabelledText text = open("t.csv", "sentence,label\na b c d e f g h i,1\n", TextColumns.USUAL)) {
            Samples samples = text.samples(List.of(IDS, LABELS), Share.ALL);
            assertThat(row(samples, 0, IDS)).isEqualTo(numbers(31, 1, 2, 3, 4, 5, 6, 32));
            InputSpec tiny = new InputSpec("tokens", DType.I64, List.of(2L, 1L));
            assertThatThrownBy(() -> text.samples(List.of(tiny), Share.ALL))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("2 special tokens")
                    .hasMessageContaining("greater T");
        }
    }

    /** Of two texts the longer is cut; where both exceed half of the room of 5, the longer gets the odd place. */
    @Test
    void twoTextsShareTheRoom() throws IOException {
        String table = """
            {"premise": "a b", "hypothesis": "x y z", "label": "no"}

            {"hypothesis": "x y z w v", "label": "yes", "premise": "a"}
            {"premise": "a b c d e f", "hypothesis": "u v w x", "label": "no"}
            {"premise": "a b c d", "hypothesis": "u v w x", "label": "no"}
            """;
        try (LabelledText text = open("t.jsonl", table, TextColumns.USUAL)) {
            List<InputSpec> inputs = List.of(IDS, MASK, TYPES, LABELS);
            Samples samples = text.samples(inputs, Share.ALL);
            assertThat(row(samples, 0, IDS)).isEqualTo(numbers(31, 1, 2, 32, 24, 25, 26, 32));
            assertThat(row(samples, 0, TYPES)).isEqualTo(numbers(0, 0, 0, 0, 1, 1, 1, 1));
            assertThat(row(samples, 1, IDS)).isEqualTo(numbers(31, 1, 32, 24, 25, 26, 23, 32));
            assertThat(row(samples, 2, IDS)).isEqualTo(numbers(31, 1, 2, 3, 32, 21, 22, 32));
            assertThat(row(samples, 3, IDS)).isEqualTo(numbers(31, 1, 2, 32, 21, 22, 23, 32));
            assertThat(row(samples, 1, LABELS)).isEqualTo(numbers(1));
            assertThat(text.classes(inputs)).containsExactly("no", "yes");
        }
    }

    @Test
    void columnsAndLabelsAreNamed() throws IOException {
        TextColumns columns = new TextColumns(
                List.of("review"),
                Optional.of("verdict"),
                List.of("good", "bad"),
                Map.of("words", "tokens", "class", "label", "weight", "score"));
        String table = "id,review,verdict,score\n1,a,bad,0.5\n2,b,good,2\n";
        InputSpec words = new InputSpec("words", DType.I32, List.of(2L, 3L));
        InputSpec weight = new InputSpec("weight", DType.F32, List.of(2L));
        InputSpec verdict = new InputSpec("class", DType.I32, List.of(2L));
        try (LabelledText text = open("t.csv", table, columns)) {
            Samples samples = text.samples(List.of(words, weight, verdict), Share.ALL);
            assertThat(row(samples, 1, words)).isEqualTo(numbers(31, 2, 32));
            assertThat(row(samples, 0, weight)).containsExactly(0.5f);
            assertThat(row(samples, 0, verdict)).isEqualTo(numbers(1));
            assertThat(text.unread(List.of(words, weight, verdict))).containsExactly("id");
        }
        // The same name as a column is enough, and floats are for regression.
        InputSpec score = new InputSpec("score", DType.F32, List.of(2L));
        try (LabelledText text = open("t.csv", table, columns)) {
            assertThat(row(text.samples(List.of(score), Share.ALL), 1, score)).containsExactly(2f);
        }
    }

    @Test
    void theLastTenthIsHeldBack() throws IOException {
        String table = "text,label\n" + "a,0\n".repeat(27) + "b,1\n".repeat(3);
        try (LabelledText text = open("t.csv", table, TextColumns.USUAL)) {
            assertThat(text.samples(List.of(LABELS), Share.TRAINING).count()).isEqualTo(27);
            assertThat(row(text.samples(List.of(LABELS), Share.HELD_BACK), 0, LABELS))
                    .isEqualTo(numbers(1));
        }
    }

    /** Bytes are tokens, and nothing is put around them. */
    @Test
    void withoutATokenizerBytesAreTokens() throws IOException {
        Path file = Files.writeString(folder.resolve("t.csv"), "\ufefftext,label\r\n\u00e9!,1\r\n");
        try (LabelledText text = LabelledText.open(file, new ByteTokenizer(), TextColumns.USUAL)) {
            assertThat(row(text.samples(List.of(IDS), Share.ALL), 0, IDS))
                    .isEqualTo(numbers(0xc3, 0xa9, '!', 0, 0, 0, 0, 0));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "t.csv|text,label\\na,1\\nb|line 3: 1 fields, the header has 2",
                "t.csv|text,label\\n\"a\\nb\",1\\n\"b,2|line 4: a quote is not closed",
                "t.csv|text,label\\n\"a\"b,1|line 2: a quoted field goes on after its quote",
                "t.csv|text,text\\na,1|line 1: the column 'text' has no name, or another's",
                "t.csv|''|line 1: there is no header",
                "t.csv|words,label\\na,1|line 2: there is no column of text; it has words, label; --text-column",
                "t.jsonl|{\"text\": \"a\", \"label\": 1}\\n\\n[1]|line 3: is no object of JSON",
                "t.jsonl|{\"text\": \"a\", \"label\": 1}\\n{\"text\": \"a\"|line 2: is not valid JSON",
                "t.jsonl|{\"text\": \"a\", \"text\": \"b\"}|line 1: is not valid JSON: the field \"text\" is there"
                        + " twice",
                "t.jsonl|{\"text\": \"a\"} {}|line 1: goes on behind its object",
                "t.jsonl|{\"text\": \"a\"}\\n{\"text\": [\"b\"]}|line 2: there is no text text"
            })
    void damagedTablesAreRefusedWithTheLine(String name, String content, String message) {
        assertThatThrownBy(() -> open(name, content.replace("\\n", "\n"), TextColumns.USUAL))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining(name)
                .hasMessageContaining(message);
    }

    @Test
    void textThatIsNoUtf8IsRefused() throws IOException {
        Path file = Files.write(
                folder.resolve("t.csv"), "text,label\na,1\n\u00e9,2\n".getBytes(StandardCharsets.ISO_8859_1));
        Tokenizer tokenizer = tokenizer();
        assertThatThrownBy(() -> LabelledText.open(file, tokenizer, TextColumns.USUAL))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("not UTF-8");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "text,label\\na,1\\nb,|line 3: the column label is empty",
                "text,label\\na,1\\nb,1.5|line 3: the column label has '1.5', which is no integer",
                "text,kind\\n"
                        + "a,1|has no column label of numbers for the input labels: i64[2]; it has text, kind;"
                        + " --label-column",
                "text,label|has no rows"
            })
    void labelsAreLookedAtBeforeAStepTakesThem(String content, String message) throws IOException {
        try (LabelledText text = open("t.csv", content.replace("\\n", "\n"), TextColumns.USUAL)) {
            assertThatThrownBy(() -> text.samples(List.of(LABELS), Share.ALL)).hasMessageContaining(message);
        }
    }

    @Test
    void inputsThatTextCannotFeedAreRefused() throws IOException {
        try (LabelledText text = open("t.csv", "text,label,w\na,1,2\n", TextColumns.USUAL)) {
            InputSpec flat = new InputSpec("tokens", DType.I64, List.of(2L));
            InputSpec wide = new InputSpec("w", DType.F32, List.of(2L, 3L));
            InputSpec image = new InputSpec("image", DType.F32, List.of(2L));
            assertThatThrownBy(() -> text.samples(List.of(flat), Share.ALL)).hasMessageContaining("tokens: i64[2]");
            assertThatThrownBy(() -> text.samples(List.of(wide), Share.ALL)).hasMessageContaining("w: f32[2, 3]");
            assertThatThrownBy(() -> text.samples(List.of(image), Share.ALL))
                    .hasMessageContaining("no column image")
                    .hasMessageContaining("--feed image=COLUMN");
        }
        TextColumns named = new TextColumns(List.of(), Optional.empty(), List.of("x", "y"), Map.of());
        try (LabelledText text = open("t.csv", "text,label\na,x\nb,z\n", named)) {
            assertThatThrownBy(() -> text.samples(List.of(LABELS), Share.ALL))
                    .hasMessageContaining("line 3: the column label has 'z', which is none of x, y");
        }
    }
}
