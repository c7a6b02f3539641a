package dev.remat.ir.op;

import static dev.remat.ir.op.Types.bf16;
import static dev.remat.ir.op.Types.bool;
import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.flops;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class AttentionTest {
    private static final Attention PLAIN = new Attention(0.5, false, false);
    private static final Attention MASKED = new Attention(0.5, false, true);

    @Test
    void resultsAndStatistics() {
        assertThat(PLAIN.infer(List.of(bf16("B", 2, "T", 8), bf16("B", 2, "S", 8), bf16("B", 2, "S", 4))))
                .containsExactly(bf16("B", 2, "T", 4), f32("B", 2, "T"));
        assertThat(MASKED.infer(
                        List.of(f32("B", 2, "T", 8), f32("B", 2, "S", 8), f32("B", 2, "S", 8), bool("B", 1, 1, "S"))))
                .containsExactly(f32("B", 2, "T", 8), f32("B", 2, "T"));
    }

    @Test
    void refusesWhatDoesNotMeet() {
        assertThatThrownBy(() -> PLAIN.infer(List.of(f32(1, 2, 3, 8), f32(1, 2, 3, 4), f32(1, 2, 3, 4))))
                .isInstanceOf(ShapeException.class)
                .hasMessage("attention wants keys of f32[1, 2, 3, 8], got f32[1, 2, 3, 4]");
        assertThatThrownBy(() -> PLAIN.infer(List.of(f32(1, 2, 3, 8), f32(1, 2, 3, 8), f32(1, 2, 4, 8))))
                .isInstanceOf(ShapeException.class);
        assertThatThrownBy(() ->
                        MASKED.infer(List.of(f32(1, 2, 3, 8), f32(1, 2, 5, 8), f32(1, 2, 5, 8), bool(1, 1, 5, 3))))
                .isInstanceOf(ShapeException.class)
                .hasMessage("attention wants a mask that repeats to [1, 2, 3, 5], got bool[1, 1, 5, 3]");
    }

    @Test
    void gradientHasTheTypesOfTheInputs() {
        Op op = new AttentionGradient(MASKED);
        assertThat(op.infer(List.of(
                        f32(1, 2, 3, 4),
                        f32(1, 2, 3, 8),
                        f32(1, 2, 5, 8),
                        f32(1, 2, 5, 4),
                        f32(1, 2, 3, 4),
                        f32(1, 2, 3),
                        bool(1, 1, 1, 5))))
                .containsExactly(f32(1, 2, 3, 8), f32(1, 2, 5, 8), f32(1, 2, 5, 4));
        assertThatThrownBy(() -> op.infer(List.of(f32(1, 2, 3, 4)))).isInstanceOf(ShapeException.class);
    }

    @Test
    void neighbouringHeadsShareKeys() {
        assertThat(PLAIN.infer(List.of(f32("B", 6, "T", 8), f32("B", 2, "S", 8), f32("B", 2, "S", 4))))
                .containsExactly(f32("B", 6, "T", 4), f32("B", 6, "T"));
        assertThat(PLAIN.infer(List.of(f32("B", "H", "T", 8), f32("B", 1, "S", 8), f32("B", 1, "S", 8))))
                .containsExactly(f32("B", "H", "T", 8), f32("B", "H", "T"));
        assertThatThrownBy(() -> PLAIN.infer(List.of(f32(1, 6, 3, 8), f32(1, 4, 3, 8), f32(1, 4, 3, 8))))
                .isInstanceOf(ShapeException.class)
                .hasMessage("attention wants as many heads of keys as of queries, or a number that divides it, got 4 "
                        + "of keys for 6 of queries");
        assertThatThrownBy(() -> PLAIN.infer(List.of(f32(1, 2, 3, 8), f32(1, 4, 3, 8), f32(1, 4, 3, 8))))
                .isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> PLAIN.infer(List.of(f32(1, 6, 3, 8), f32(1, 2, 3, 8), f32(1, 3, 3, 8))))
                .isInstanceOf(ShapeException.class)
                .hasMessage("attention wants values of f32[1, 2, 3, 8], got f32[1, 3, 3, 8]");
    }

    @Test
    void aBiasRepeatsAndMayBeWide() {
        Attention biased = new Attention(0.5, false, true, true);
        for (var bias : List.of(f32("B", 1, "T", "S"), bf16(1, 2, 1, 1))) {
            assertThat(biased.infer(List.of(
                            bf16("B", 2, "T", 8),
                            bf16("B", 2, "S", 8),
                            bf16("B", 2, "S", 4),
                            bool("B", 1, 1, "S"),
                            bias)))
                    .containsExactly(bf16("B", 2, "T", 4), f32("B", 2, "T"));
        }
        assertThatThrownBy(() -> biased.infer(
                        List.of(f32(1, 2, 3, 8), f32(1, 2, 5, 8), f32(1, 2, 5, 8), bool(1, 1, 1, 5), bf16(1, 1, 1, 5))))
                .isInstanceOf(ShapeException.class)
                .hasMessage("attention wants a bias of f32, got bf16[1, 1, 1, 5]");
        assertThatThrownBy(() -> biased.infer(
                        List.of(f32(1, 2, 3, 8), f32(1, 2, 5, 8), f32(1, 2, 5, 8), bool(1, 1, 1, 5), f32(1, 1, 5, 3))))
                .isInstanceOf(ShapeException.class)
                .hasMessage("attention wants a bias that repeats to [1, 2, 3, 5], got f32[1, 1, 5, 3]");
        Op gradient = new AttentionBiasGradient(biased);
        assertThat(gradient.infer(List.of(
                        f32(1, 2, 3, 4),
                        f32(1, 2, 3, 8),
                        f32(1, 1, 5, 8),
                        f32(1, 1, 5, 4),
                        f32(1, 2, 3, 4),
                        f32(1, 2, 3),
                        bool(1, 1, 1, 5),
                        f32(1, 2, 1, 5))))
                .containsExactly(f32(1, 2, 1, 5));
        assertThatThrownBy(() -> new AttentionBiasGradient(PLAIN)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void countsThePairsThatAttend() {
        assertThat(flops(PLAIN, f32(2, 3, 4, 8), f32(2, 3, 5, 8), f32(2, 3, 5, 6)))
                .isEqualTo(2 * 6 * 20 * (8 + 6));
        // Of 4 queries and 5 keys, queries attend to 1, 2, 3 and 4 keys; of 5 and 3, to 1, 2, 3, 3 and 3.
        Attention causal = new Attention(0.5, true, false);
        assertThat(flops(causal, f32(1, 1, 4, 8), f32(1, 1, 5, 8), f32(1, 1, 5, 6)))
                .isEqualTo(2 * 10 * (8 + 6));
        assertThat(flops(causal, f32(1, 1, 5, 8), f32(1, 1, 3, 8), f32(1, 1, 3, 6)))
                .isEqualTo(2 * 12 * (8 + 6));
    }
}
