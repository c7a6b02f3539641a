package dev.remat.runtime.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.DataException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenizerTest {
    private static final String MERGES =
            "[\"h e\", \"l l\", \"he ll\", \"hell o\", \"\u0120 w\", \"\u0120w o\", \"e l\","
                    + " [\"\u00c3\", \"\u00a9\"]]";
    /** The first number after those of the bytes. */
    private static final int JOINED = 256;

    @TempDir
    Path folder;

    /** A vocabulary of all bytes, numbered by their value, then the joined pairs in their order. */
    private static String json(String merges, String pretokenizer, String more) {
        StringBuilder vocab = new StringBuilder();
        for (int unit = 0; unit < 256; unit++) {
            String letter = alphabet(unit);
            vocab.append('"').append(letter.equals("\"") || letter.equals("\\") ? "\\" + letter : letter);
            vocab.append("\": ").append(unit).append(", ");
        }
        String[] joined = {"he", "ll", "hell", "hello", "\u0120w", "\u0120wo", "el", "\u00c3\u00a9"};
        for (int i = 0; i < joined.length; i++) {
            vocab.append('"').append(joined[i]).append("\": ").append(JOINED + i);
            vocab.append(i + 1 < joined.length ? ", " : "");
        }
        return "{\"version\": \"1.0\", \"normalizer\": null, \"pre_tokenizer\": " + pretokenizer
                + ", \"decoder\": {\"type\": \"ByteLevel\"}, \"added_tokens\": [{\"id\": 300, \"content\": \"<|end|>\","
                + " \"special\": true, \"lstrip\": false}], \"post_processor\": null, \"model\": {\"type\": \"BPE\","
                + " \"vocab\": {" + vocab + "}, \"merges\": " + merges + more + "}}";
    }

    /** By the definition that GPT-2's code gives: printable ranges first, then the rest from 256 on. */
    private static String alphabet(int unit) {
        List<Integer> printable = new ArrayList<>();
        IntStream.rangeClosed('!', '~').forEach(printable::add);
        IntStream.rangeClosed(0xa1, 0xac).forEach(printable::add);
        IntStream.rangeClosed(0xae, 0xff).forEach(printable::add);
        if (printable.contains(unit)) {
            return Character.toString(unit);
        }
        int before = (int)
                IntStream.range(0, unit).filter(b -> !printable.contains(b)).count();
        return Character.toString(256 + before);
    }

    private Tokenizer tokenizer(String json) throws IOException {
        return TokenizerFile.read(Files.writeString(folder.resolve("tokenizer.json"), json));
    }

    private Tokenizer plain() throws IOException {
        return tokenizer(json(MERGES, "{\"type\": \"ByteLevel\", \"add_prefix_space\": false}", ""));
    }

    private static int[] encode(Tokenizer tokenizer, String text) {
        return tokenizer.encode(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String decode(Tokenizer tokenizer, int... tokens) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int token : tokens) {
            bytes.writeBytes(tokenizer.decode(token));
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void joinsThePairsThatWereLearnedFirst() throws IOException {
        Tokenizer tokenizer = plain();
        assertThat(encode(tokenizer, "hello")).containsExactly(JOINED + 3);
        assertThat(encode(tokenizer, "hel")).containsExactly(JOINED, 'l');
        assertThat(encode(tokenizer, "yel")).containsExactly('y', JOINED + 6);
        assertThat(encode(tokenizer, "llll")).containsExactly(JOINED + 1, JOINED + 1);
        assertThat(encode(tokenizer, "lll")).containsExactly(JOINED + 1, 'l');
        assertThat(encode(tokenizer, "hello world")).containsExactly(JOINED + 3, JOINED + 5, 'r', 'l', 'd');
        assertThat(encode(tokenizer, "\u00e9")).containsExactly(JOINED + 7);
    }

    @Test
    void pairsStayWithinWords() throws IOException {
        Tokenizer tokenizer = plain();
        assertThat(encode(tokenizer, "hell o")).containsExactly(JOINED + 2, ' ', 'o');
        assertThat(encode(tokenizer, "  world")).containsExactly(' ', JOINED + 5, 'r', 'l', 'd');
        assertThat(encode(tokenizer, "he'll")).containsExactly(JOINED, '\'', JOINED + 1);
        String across = "[\"o \u0120\"]";
        Tokenizer words = tokenizer(json(across, "{\"type\": \"ByteLevel\"}", ""));
        assertThat(encode(words, "o w")).containsExactly('o', ' ', 'w');
        Tokenizer whole = tokenizer(json(across, "{\"type\": \"ByteLevel\", \"use_regex\": false}", ""));
        assertThatThrownBy(() -> encode(whole, "o w")).isInstanceOf(DataException.class);
    }

    @Test
    void specialTokensAreTakenWhole() throws IOException {
        Tokenizer tokenizer = plain();
        assertThat(encode(tokenizer, "he<|end|>hello")).containsExactly(JOINED, 300, JOINED + 3);
        assertThat(encode(tokenizer, "<|end")).containsExactly('<', '|', 'e', 'n', 'd');
        assertThat(decode(tokenizer, 300)).isEqualTo("<|end|>");
        assertThat(tokenizer.contains(300)).isTrue();
        assertThat(tokenizer.contains(299)).isFalse();
    }

    @Test
    void aSpaceIsAddedWhereTheFileSaysSo() throws IOException {
        Tokenizer tokenizer = tokenizer(json(MERGES, "{\"type\": \"ByteLevel\", \"add_prefix_space\": true}", ""));
        assertThat(encode(tokenizer, "world")).containsExactly(JOINED + 5, 'r', 'l', 'd');
        assertThat(encode(tokenizer, " world")).containsExactly(JOINED + 5, 'r', 'l', 'd');
    }

    @Test
    void decodingUndoesEncoding() throws IOException {
        Tokenizer tokenizer = plain();
        for (String text :
                List.of("hello world\n\n  \u00e9\u4e16\ud83d\ude00 12\t", "\u0000\u007f\u00ad", "I'll we've")) {
            assertThat(decode(tokenizer, encode(tokenizer, text))).isEqualTo(text);
        }
        Tokenizer bytes = new ByteTokenizer();
        assertThat(encode(bytes, "\u00e9")).containsExactly(0xc3, 0xa9);
        assertThat(decode(bytes, 0xc3, 0xa9)).isEqualTo("\u00e9");
        assertThat(bytes.contains(255)).isTrue();
        assertThat(bytes.contains(256)).isFalse();
    }

    @Test
    void otherKindsAreRefusedByName() throws IOException {
        assertThatThrownBy(() -> tokenizer(json(MERGES, "{\"type\": \"Metaspace\"}", "")))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("pre_tokenizer of type Metaspace");
        assertThatThrownBy(() -> tokenizer(json(MERGES, "{\"type\": \"ByteLevel\"}", ", \"byte_fallback\": true")))
                .hasMessageContaining("byte_fallback");
        assertThatThrownBy(() -> tokenizer("{\"model\": {\"type\": \"Unigram\"}}"))
                .hasMessageContaining("model of type Unigram");
        assertThatThrownBy(() -> tokenizer("{\"normalizer\": {\"type\": \"NFC\"}}"))
                .hasMessageContaining("NFC");
        assertThatThrownBy(() -> tokenizer("[1]")).hasMessageContaining("no object");
        assertThatThrownBy(() -> tokenizer("{")).hasMessageContaining("not valid JSON");
        assertThatThrownBy(() -> tokenizer(json("[\"he\"]", "{\"type\": \"ByteLevel\"}", "")))
                .hasMessageContaining("'he' is no pair");
        assertThatThrownBy(() -> plain().encode(new byte[] {(byte) 0xc3}))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("not UTF-8");
    }

    @Test
    void charactersComeWhenTheyAreComplete() {
        TextStream stream = new TextStream();
        assertThat(stream.add(new byte[] {'a', (byte) 0xe4})).isEqualTo("a");
        assertThat(stream.add(new byte[] {(byte) 0xb8})).isEmpty();
        assertThat(stream.add(new byte[] {(byte) 0x96, 'b'})).isEqualTo("\u4e16b");
        assertThat(stream.add(new byte[] {(byte) 0xff, 'c'})).isEqualTo("\ufffdc");
        assertThat(stream.add(new byte[] {(byte) 0xe4})).isEmpty();
        assertThat(stream.end()).isEqualTo("\ufffd");
    }
}
