package dev.remat.compiler.syntax;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.syntax.SourceToken.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

class SourceTokensTest {
    private static List<String> texts(List<SourceToken> tokens) {
        return tokens.stream()
                .map(token -> token.is(Kind.END) ? ";" : token.text())
                .toList();
    }

    @Test
    void haveTheirPlacesInTextOfAnyCharacters() {
        String text = "x = \"😀é\" // 😀\ny = 1e3 # '\n";
        List<SourceToken> tokens = SourceTokens.of(text);
        assertThat(tokens)
                .allSatisfy(token ->
                        assertThat(text.substring(token.start(), token.end())).isEqualTo(token.text()));
        assertThat(tokens)
                .extracting(SourceToken::kind)
                .containsExactly(
                        Kind.NAME,
                        Kind.SIGN,
                        Kind.STRING,
                        Kind.COMMENT,
                        Kind.END,
                        Kind.NAME,
                        Kind.SIGN,
                        Kind.NUMBER,
                        Kind.STRAY,
                        Kind.STRAY,
                        Kind.END);
    }

    @Test
    void ofStatementsCloseWhatIsOpenAndEndOnce() {
        String text = "layer F(x) {\n  y = relu(x,\n  return y\n";
        List<SourceToken> tokens = SourceTokens.statements(text);
        assertThat(texts(tokens))
                .containsExactly(
                        "layer", "F", "(", "x", ")", "{", "y", "=", "relu", "(", "x", ",", ")", ";", "return", "y", ";",
                        "}", ";");
        assertThat(tokens.get(12).start()).isEqualTo(tokens.get(12).end());
        assertThat(texts(SourceTokens.statements("y = x\n  |> relu\n  // alone\nz = [1,\n 2]")))
                .containsExactly("y", "=", "x", "|>", "relu", ";", "z", "=", "[", "1", ",", "2", "]", ";");
    }

    @Test
    void giveUpWhatIsNestedTooDeeply() {
        assertThat(SourceTokens.statements("x = " + "(".repeat(300))).isEmpty();
        assertThat(SourceTokens.of("(".repeat(300))).hasSize(300);
    }

    @Test
    void tellBuffersFromNames() {
        assertThat(SourceTokens.statements("x = 1\nbuffer t: f32[3]\nbuffer = 3"))
                .filteredOn(token -> token.text().equals("buffer"))
                .extracting(SourceToken::kind)
                .containsExactly(Kind.WORD, Kind.NAME);
    }

    @Test
    void tellMarksOfStagesFromNames() {
        String text = "model M {\n stage\n stage = f(stage)\n if deep { stage }\n y = [\n stage\n ]; stage }\nstage\n"
                + "train { stage }\nlayer F(x) {\n stage\n}\n";
        assertThat(SourceTokens.statements(text))
                .filteredOn(token -> token.text().equals("stage"))
                .extracting(SourceToken::kind)
                .containsExactly(
                        Kind.WORD, Kind.NAME, Kind.NAME, Kind.WORD, Kind.NAME, Kind.WORD, Kind.NAME, Kind.NAME,
                        Kind.WORD);
    }

    @Test
    void knowNames() {
        assertThat(SourceTokens.isName("wte_2")).isTrue();
        assertThat(List.of("", "2x", "layer", "a b", "a.b", "é")).noneMatch(SourceTokens::isName);
    }
}
