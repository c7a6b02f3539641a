package dev.remat.compiler.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.builtin.table.Builtins;
import org.junit.jupiter.api.Test;

class LanguageReferenceTest {
    @Test
    void tellsWhatBuiltinsTake() {
        KnownFunction linear = LanguageReference.builtin("linear").orElseThrow();
        assertThat(linear.signature())
                .startsWith("linear(x: tensor, out_features: int, bias: bool = true, ")
                .endsWith(")");
        assertThat(linear.ownsParameters()).isTrue();
        assertThat(linear.arguments().get(2).fallback()).contains("true");
        assertThat(linear.arguments().getFirst().fallback()).isEmpty();
        assertThat(LanguageReference.builtin("lineer")).isEmpty();
        assertThat(LanguageReference.builtins()).extracting(KnownFunction::name).isEqualTo(Builtins.names());
    }

    @Test
    void tellsWhatSettingsChoose() {
        assertThat(LanguageReference.choices("optimizer"))
                .extracting(KnownFunction::name)
                .contains("sgd", "adamw");
        assertThat(LanguageReference.choices("schedule"))
                .filteredOn(each -> each.name().equals("cosine"))
                .extracting(KnownFunction::signature)
                .containsExactly("cosine(steps: int, warmup: int = 0, min_lr: float = 0.0)");
        assertThat(LanguageReference.choices("seed")).isEmpty();
        assertThat(LanguageReference.settings())
                .contains("minimize", "parameters")
                .doesNotHaveDuplicates();
        assertThat(LanguageReference.dtypes()).contains("f32", "bool").doesNotContain("seed");
    }
}
