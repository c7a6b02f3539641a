package dev.remat.ir.op;

import static dev.remat.ir.op.Types.bf16;
import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.Dim;
import java.util.List;
import org.junit.jupiter.api.Test;

class NormalizeTest {
    private static final Normalize LAYER = new Normalize(List.of(2), 1e-5, true, true, true);
    private static final Normalize ROOT_MEAN_SQUARE = new Normalize(List.of(2), 1e-6, false, true, false);
    private static final Normalize BATCH = new Normalize(List.of(0, 2, 3), 1e-5, true, true, true);

    @Test
    void statisticsAreWideAndSmall() {
        assertThat(new NormStatistics(List.of(2), true).infer(List.of(bf16("B", "T", 8))))
                .containsExactly(f32("B", "T", 1), f32("B", "T", 1));
        assertThat(new NormStatistics(List.of(2), false).infer(List.of(bf16("B", "T", 8))))
                .containsExactly(f32("B", "T", 1));
        assertThatThrownBy(() -> new NormStatistics(List.of(2), true).infer(List.of(f32(2, 3))))
                .isInstanceOf(ShapeException.class);
    }

    @Test
    void keepsTheTypeOfTheInput() {
        assertThat(infer(LAYER, bf16("B", "T", 8), f32("B", "T", 1), f32("B", "T", 1), f32(1, 1, 8), f32(1, 1, 8)))
                .isEqualTo(bf16("B", "T", 8));
        assertThat(infer(ROOT_MEAN_SQUARE, bf16("B", "T", 8), f32("B", "T", 1), bf16(1, 1, 8)))
                .isEqualTo(bf16("B", "T", 8));
        assertThat(infer(BATCH, f32("N", 3, 4, 4), f32(1, 3, 1, 1), f32(1, 3, 1, 1), f32(1, 3, 1, 1), f32(1, 3, 1, 1)))
                .isEqualTo(f32("N", 3, 4, 4));
    }

    @Test
    void refusesStatisticsOverOtherAxes() {
        assertThatThrownBy(() -> infer(ROOT_MEAN_SQUARE, f32("B", "T", 8), f32("B", 1, 1), f32(1, 1, 8)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("normalize wants a variance of f32[B, T, 1], got f32[B, 1, 1]");
        assertThatThrownBy(() -> infer(ROOT_MEAN_SQUARE, bf16(2, 3, 8), bf16(2, 3, 1), f32(1, 1, 8)))
                .isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> infer(ROOT_MEAN_SQUARE, f32(2, 3, 8), f32(2, 3, 1), f32(1, 1, 4)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("normalize wants a scale that repeats to [2, 3, 8], got f32[1, 1, 4]");
        assertThatThrownBy(() -> infer(ROOT_MEAN_SQUARE, f32(2, 3, 8), f32(2, 3, 1)))
                .isInstanceOf(ShapeException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> new Normalize(List.of(0), 1e-5, true, false, true));
    }

    @Test
    void gradientHasTheTypesOfTheOperands() {
        Op op = new NormalizeGradient(List.of(2), 1e-5, true, true, true);
        assertThat(op.infer(List.of(
                        bf16("B", "T", 8), bf16("B", "T", 8), f32("B", "T", 1), f32("B", "T", 1), bf16(1, 1, 8))))
                .containsExactly(bf16("B", "T", 8), f32(1, 1, 8), f32(1, 1, 8));
        assertThatThrownBy(() -> op.infer(
                        List.of(bf16("B", 9, 8), bf16("B", "T", 8), f32("B", "T", 1), f32("B", "T", 1), bf16(1, 1, 8))))
                .isInstanceOf(ShapeException.class);
    }

    @Test
    void runningStatisticsNeedSeveralSamples() {
        Op op = new RunningStatistics(0.1, Dim.symbol("N"));
        assertThat(op.infer(List.of(f32(3), f32(3), f32(3), f32(3)))).containsExactly(f32(3), f32(3));
        assertThatThrownBy(() -> op.infer(List.of(f32(3), f32(3), f32(1, 3), f32(3))))
                .isInstanceOf(ShapeException.class);
        Op single = op.bind(dim -> Dim.ONE);
        assertThatThrownBy(() -> single.infer(List.of(f32(3), f32(3), f32(3), f32(3))))
                .isInstanceOf(ShapeException.class)
                .hasMessage("running statistics need more than one sample a channel, got 1 for f32[3]");
    }
}
