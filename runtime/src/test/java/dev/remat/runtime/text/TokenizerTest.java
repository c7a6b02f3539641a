package dev.remat.runtime.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.DataException;
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
        return tokenizer.decode(tokens);
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
        String across = "[\"e \u0120\"]";
        String token = json(across, "%s", "").replace("\"el\": ", "\"e\u0120\": 298, \"el\": ");
        Tokenizer words = tokenizer(token.replace("%s", "{\"type\": \"ByteLevel\", \"add_prefix_space\": false}"));
        assertThat(encode(words, "e w")).containsExactly('e', ' ', 'w');
        Tokenizer whole = tokenizer(
                token.replace("%s", "{\"type\": \"ByteLevel\", \"use_regex\": false, \"add_prefix_space\": false}"));
        assertThat(encode(whole, "e w")).containsExactly(298, 'w');
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
        assertThat(encode(tokenizer, "\tworld")).containsExactly(' ', '\t', 'w', 'o', 'r', 'l', 'd');
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
        assertThat(decode(bytes, 0xc3, 'a')).isEqualTo("\ufffda");
        assertThat(bytes.contains(255)).isTrue();
        assertThat(bytes.contains(256)).isFalse();
    }

    /** What takes the place of a part, and the message that names it. */
    private void refuses(String part, String instead, String... messages) throws IOException {
        String json = json(MERGES, "{\"type\": \"ByteLevel\"}", "");
        assertThat(json).contains(part);
        assertThatThrownBy(() -> tokenizer(json.replace(part, instead)))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("tokenizer.json: ")
                .hasMessageContainingAll(messages);
    }

    @Test
    void otherKindsAreRefusedByName() throws IOException {
        refuses("\"type\": \"BPE\"", "\"type\": \"Unigram\"", "model is of type Unigram", "WordPiece");
        refuses(
                "\"normalizer\": null",
                "\"normalizer\": {\"type\": \"Sequence\", \"normalizers\": [{\"type\": \"NFC\"},"
                        + " {\"type\": \"Precompiled\"}]}",
                "normalizer.normalizers[1] is of type Precompiled",
                "NFKC");
        refuses(
                "\"pre_tokenizer\": {\"type\": \"ByteLevel\"}",
                "\"pre_tokenizer\": {\"type\": \"UnicodeScripts\"}",
                "pre_tokenizer is of type UnicodeScripts",
                "Metaspace");
        refuses("\"decoder\": {\"type\": \"ByteLevel\"}", "\"decoder\": {\"type\": \"CTC\"}", "decoder is of type CTC");
        refuses(
                "\"post_processor\": null",
                "\"post_processor\": {\"type\": \"Other\"}",
                "post_processor is of type Other",
                "TemplateProcessing");
        refuses("\"type\": \"BPE\"", "\"type\": \"BPE\", \"dropout\": 0.1", "model.dropout is not 0");
        refuses(
                "\"pre_tokenizer\": {\"type\": \"ByteLevel\"}",
                "\"pre_tokenizer\": {\"type\": \"Split\", \"behavior\": \"Isolated\", \"pattern\":"
                        + " {\"Regex\": \"a|(?<=b)c\"}}",
                "pre_tokenizer.pattern.Regex has the group '(?<' at character 3");
    }

    @Test
    void damagedFilesAreRefusedWithThePlace() throws IOException {
        assertThatThrownBy(() -> tokenizer("[1]")).hasMessageContaining("the file is no object");
        assertThatThrownBy(() -> tokenizer("{\n\n?")).hasMessageContaining("line 3: is not valid JSON");
        assertThatThrownBy(() -> tokenizer("{}")).hasMessageContaining("the file has no model");
        refuses("\"h e\"", "\"he\"", "model.merges[0] is 'he', which is no pair");
        refuses("\"l l\"", "[\"l\", 3]", "model.merges[1][1] is no text");
        refuses("\"e l\"", "\"e p\"", "model.merges[6] makes or joins 'ep', which the vocabulary does not have");
        refuses("\"a\": 97", "\"a\": -97", "model.vocab.a is -97");
        refuses("\"a\": 97", "\"a\": 9700000000", "model.vocab.a is 9700000000");
        refuses("\"id\": 300", "\"id\": null", "added_tokens[0] has no id");
        refuses("<|end|>", "", "added_tokens[0].content is no text");
        refuses("\"lstrip\": false", "\"lstrip\": 1", "added_tokens[0].lstrip is neither true nor false");
        refuses("\"type\": \"BPE\"", "\"type\": \"BPE\", \"unk_token\": \"<unk>\"", "model.unk_token is '<unk>'");
        refuses(
                "\"post_processor\": null",
                "\"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": [{\"Sequence\": {\"id\": \"B\"}}],"
                        + " \"pair\": []}",
                "post_processor.single[0].Sequence.id is 'B'");
        refuses(
                "\"post_processor\": null",
                "\"post_processor\": {\"type\": \"TemplateProcessing\", \"single\":"
                        + " [{\"SpecialToken\": {\"id\": \"[X]\"}}], \"pair\": []}",
                "post_processor.single[0].SpecialToken.id is '[X]', which special_tokens does not have");
        assertThatThrownBy(() -> plain().encode(new byte[] {(byte) 0xc3}))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("not UTF-8");
    }

    @Test
    void whatHasNoTokenIsSaid() throws IOException {
        Tokenizer tokenizer = tokenizer("{\"model\": {\"type\": \"WordLevel\", \"vocab\": {\"one\": 1, \"two\": 2}},"
                + " \"pre_tokenizer\": {\"type\": \"WhitespaceSplit\"}}");
        assertThat(encode(tokenizer, " one\ntwo")).containsExactly(1, 2);
        assertThat(tokenizer.decode(2, 1)).isEqualTo("two one");
        assertThatThrownBy(() -> encode(tokenizer, "one three"))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("'three'");
    }

    @Test
    void charactersComeWhenTheyAreComplete() {
        TokenStream stream = new TokenStream(new ByteTokenizer());
        assertThat(stream.add('a', 0xe4)).isEqualTo("a");
        assertThat(stream.add(0xb8)).isEmpty();
        assertThat(stream.add(0x96, 'b')).isEqualTo("\u4e16b");
        assertThat(stream.add(0xff, 'c')).isEqualTo("\ufffdc");
        assertThat(stream.add(0xe4)).isEmpty();
        assertThat(stream.end()).isEqualTo("\ufffd");
    }

    @Test
    void whatIsNoTextIsToldAtLast() {
        TokenStream stream = new TokenStream(new ByteTokenizer());
        StringBuilder told = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            told.append(stream.add(0xff));
        }
        assertThat(told).hasSizeGreaterThan(900);
        assertThat(told.append(stream.end()).toString()).isEqualTo("\ufffd".repeat(1000));
    }
}
