package dev.remat.compiler.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SuggestionTest {
    private static final List<String> NAMES = List.of("linear", "layer_norm", "gelu", "x", "dropout");

    @Test
    void findsTheNameWithSwappedMissingOrWrongLetters() {
        assertThat(Suggestion.closest("linaer", NAMES)).contains("linear");
        assertThat(Suggestion.closest("layernorm", NAMES)).contains("layer_norm");
        assertThat(Suggestion.closest("gela", NAMES)).contains("gelu");
        assertThat(Suggestion.closest("Dropout", NAMES)).contains("dropout");
        assertThat(Suggestion.note("linera", NAMES)).contains("did you mean 'linear'?");
    }

    @Test
    void saysNothingWhereNothingIsClose() {
        assertThat(Suggestion.closest("convolution", NAMES)).isEmpty();
        assertThat(Suggestion.closest("y", NAMES)).isEmpty();
        assertThat(Suggestion.closest("a".repeat(1_000_000), NAMES)).isEmpty();
    }
}
