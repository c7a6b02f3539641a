package dev.remat.compiler.training;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ParameterPatternTest {
    private static boolean matches(String pattern, String name) {
        return new ParameterPattern(pattern).matches(name);
    }

    @Test
    void starsStandForAnyCharacters() {
        assertThat(matches("*.bias", "block.0.linear.bias")).isTrue();
        assertThat(matches("block.*.weight", "block.0.linear.weight")).isTrue();
        assertThat(matches("*norm*", "block.0.layer_norm.1.weight")).isTrue();
        assertThat(matches("*", "wte.weight")).isTrue();
        assertThat(matches("a*b*c", "abbc")).isTrue();
        assertThat(matches("**", "")).isTrue();
    }

    @Test
    void everythingElseStandsForItself() {
        assertThat(matches("head.weight", "head.weight")).isTrue();
        assertThat(matches("head.weight", "head.weights")).isFalse();
        assertThat(matches("head", "head.weight")).isFalse();
        assertThat(matches("h.ad.weight", "head.weight")).isFalse();
        assertThat(matches("*.bias", "head.biases")).isFalse();
        assertThat(matches("a*b*c", "acb")).isFalse();
    }
}
