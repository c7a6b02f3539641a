package dev.remat.runtime.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts and tokens as {@code tests/benchmarks/tokenizer_cases.py} has written them down by the published rules. */
class TokenizerCasesTest {
    private record Case(String kind, String text, int[] ids, String decoded) {}

    private static Path resource(String name) {
        try {
            return Path.of(TokenizerCasesTest.class.getResource(name).toURI());
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static List<Case> cases() throws IOException {
        List<Case> cases = new ArrayList<>();
        for (String line : Files.readAllLines(resource("cases.jsonl"))) {
            try (JsonParser json = new JsonFactory().createParser(line)) {
                json.nextToken();
                Map<String, Object> fields = new LinkedHashMap<>();
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    String name = json.currentName();
                    fields.put(name, json.nextToken() == JsonToken.START_ARRAY ? numbers(json) : json.getText());
                }
                cases.add(new Case(
                        (String) fields.get("kind"), (String) fields.get("text"), (int[]) fields.get("ids"), (String)
                                fields.get("decoded")));
            }
        }
        return cases;
    }

    private static int[] numbers(JsonParser json) throws IOException {
        List<Integer> numbers = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            numbers.add(json.getIntValue());
        }
        return numbers.stream().mapToInt(Integer::intValue).toArray();
    }

    @Test
    void thereAreAThousand() throws IOException {
        assertThat(cases()).hasSizeGreaterThan(1000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpt2", "roberta", "llama3", "qwen2", "bert", "bert-cased", "llama2", "mistral", "unknown"})
    void textsAndTokensAreThoseOfTheReference(String kind) throws IOException {
        Tokenizer tokenizer = TokenizerFile.read(resource(kind + ".json"));
        List<Case> cases =
                cases().stream().filter(each -> each.kind().equals(kind)).toList();
        assertThat(cases).hasSizeGreaterThan(100);
        for (Case each : cases) {
            assertThat(tokenizer.encode(each.text().getBytes(StandardCharsets.UTF_8)))
                    .as("tokens of '%s'", each.text())
                    .containsExactly(each.ids());
            assertThat(tokenizer.decode(each.ids()))
                    .as("text of '%s'", each.text())
                    .isEqualTo(each.decoded());
        }
    }

    /** What is told token by token is the whole text. */
    @ParameterizedTest
    @ValueSource(strings = {"gpt2", "roberta", "llama3", "qwen2", "bert", "bert-cased", "llama2", "mistral", "unknown"})
    void tokensOneByOneTellTheSame(String kind) throws IOException {
        Tokenizer tokenizer = TokenizerFile.read(resource(kind + ".json"));
        for (Case each :
                cases().stream().filter(found -> found.kind().equals(kind)).toList()) {
            TokenStream stream = new TokenStream(tokenizer);
            StringBuilder told = new StringBuilder();
            for (int token : each.ids()) {
                told.append(stream.add(token));
            }
            assertThat(told.append(stream.end()).toString()).isEqualTo(each.decoded());
        }
    }
}
