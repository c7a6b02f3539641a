package dev.remat.ir.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonParser;
import dev.remat.ir.json.CorruptJsonException.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonCursorTest {
    private static void readTexts(JsonParser from) throws IOException {
        try (JsonParser parser = from) {
            JsonCursor json = new JsonCursor(parser);
            json.list(json::text);
            json.end();
        }
    }

    /** From characters and from bytes, which Jackson reads by different code. */
    private static void refuses(String text, Kind kind, String problem) throws IOException {
        for (JsonParser parser : new JsonParser[] {
            JsonText.FACTORY.createParser(text), JsonText.FACTORY.createParser(text.getBytes(StandardCharsets.UTF_8))
        }) {
            CorruptJsonException e = catchThrowableOfType(CorruptJsonException.class, () -> readTexts(parser));
            assertThat(e.problem()).isEqualTo(problem);
            assertThat(e.kind()).isEqualTo(kind);
            assertThat(e.line()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[NaN] | 'NaN' is not a value of JSON",
                "[abc] | 'abc' is not a value of JSON",
                "[\"a\"} | ']' is expected, not '}'",
                "[\"a\" \"b\"] | '\"' is not expected here",
                "[: | ':' is not expected here",
                "['a'] | ''' is not expected here",
                "[01] | a number begins with a zero too many",
                "[1.] | a number is not complete",
                "[\"\\x\"] | the backslash begins no escape of JSON",
                "[\"\\u00g0\"] | the backslash begins no escape of JSON",
                "[\"a\" | the file ends too early",
                "[\"a | the file ends too early",
                "[\"a\"] b | 'b' is not a value of JSON"
            })
    void saysInPlainWordsWhatIsNoJson(String text, String problem) throws IOException {
        refuses(text, Kind.SYNTAX, problem);
    }

    @Test
    void namesControlCharactersAndFieldsThatAreThereTwice() throws IOException {
        refuses("[\"a\u0001\"]", Kind.SYNTAX, "a control character is not expected here");
        refuses(
                "[\"a\n\"]",
                Kind.SYNTAX,
                "a string must not hold a tab or the end of a line as such; write \\t or \\n");
        try (JsonParser parser = JsonText.FACTORY.createParser("{\"a\":\"\",\"a\":\"\"}")) {
            assertThatThrownBy(() -> new JsonCursor(parser).texts())
                    .hasMessageStartingWith("line 1, column ")
                    .hasMessageEndingWith(": the field \"a\" is there twice");
        }
    }

    @Test
    void limitsHaveALocationToo() throws IOException {
        refuses("[\"" + "a".repeat(100_000) + "\"]", Kind.SYNTAX, "a string has more than 65536 characters");
        readTexts(JsonText.FACTORY.createParser("[\"" + "a".repeat(60_000) + "\"]"));
        assertThatThrownBy(() -> number("1".repeat(5000)))
                .hasMessage("line 1, column 1: a number has more than 1000 digits");
        assertThatThrownBy(() -> number("1".repeat(900)))
                .hasMessage("line 1, column 1: an integer of 64 bits is expected");
        assertThat(number("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
    }

    private static long number(String text) throws IOException {
        try (JsonParser parser = JsonText.FACTORY.createParser(text)) {
            return new JsonCursor(parser).number();
        }
    }

    @Test
    void nestingIsLimited() throws IOException {
        try (JsonParser parser = JsonText.FACTORY.createParser("[".repeat(17))) {
            JsonCursor json = new JsonCursor(parser);
            for (int depth = 0; depth < 16; depth++) {
                json.beginArray();
            }
            assertThatThrownBy(json::beginArray).hasMessageEndingWith("lists and objects are nested more than 16 deep");
        }
    }

    @Test
    void realNumbersAreFinite() throws IOException {
        try (JsonParser parser = JsonText.FACTORY.createParser("[1e308, 1e309]")) {
            JsonCursor json = new JsonCursor(parser);
            json.beginArray();
            assertThat(json.real()).isEqualTo(1e308);
            assertThatThrownBy(json::real).hasMessage("line 1, column 9: a number up to 1.8e308 is expected");
        }
    }
}
