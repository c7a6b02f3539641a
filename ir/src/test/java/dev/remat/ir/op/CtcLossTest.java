package dev.remat.ir.op;

import static dev.remat.ir.op.Types.bf16;
import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.i64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;
import org.junit.jupiter.api.Test;

class CtcLossTest {
    private static final CtcLoss OP = new CtcLoss(0, false);

    private static List<TensorType> operands(TensorType frames) {
        return List.of(frames, i64("N", "S"), i64("N"), i64("N"));
    }

    @Test
    void lossesAreWideAndGradientsLikeTheFrames() {
        TensorType frames = bf16("T", "N", 5);
        assertThat(OP.infer(operands(frames))).containsExactly(f32("N"));
        Op gradient = new CtcLossGradient(new CtcLoss(0, false));
        assertThat(gradient.infer(List.of(f32("N"), frames, i64("N", "S"), i64("N"), i64("N"))))
                .containsExactly(frames);
        assertThatThrownBy(() -> gradient.infer(List.of(f32(), frames, i64("N", "S"), i64("N"), i64("N"))))
                .isInstanceOf(ShapeException.class)
                .hasMessage("ctc_loss_grad wants a gradient of f32[N], got f32[]");
    }

    @Test
    void samplesAndIntegersMustAgree() {
        assertRefused("ctc_loss wants log-probabilities of rank 3, got f32[T, 5]", operands(f32("T", 5)));
        assertRefused(
                "ctc_loss wants a row of targets for each sample of f32[T, M, 5], got i64[N, S]",
                operands(f32("T", "M", 5)));
        assertRefused(
                "ctc_loss wants input lengths of i64[N], got i32[2]",
                List.of(f32("T", "N", 5), i64("N", "S"), Types.of(DType.I32, 2), i64("N")));
        assertRefused(
                "ctc_loss wants targets of i32 or i64, got f32[N, S]",
                List.of(f32("T", "N", 5), f32("N", "S"), i64("N"), i64("N")));
    }

    @Test
    void theBlankIsAClass() {
        assertThat(new CtcLoss(4, true).infer(operands(f32("T", "N", 5)))).hasSize(1);
        assertThatThrownBy(() -> new CtcLoss(5, true).infer(operands(f32("T", "N", 5))))
                .isInstanceOf(ShapeException.class)
                .hasMessage("blank 5 is no class of f32[T, N, 5]");
        assertThatIllegalArgumentException().isThrownBy(() -> new CtcLoss(-1, false));
    }

    private static void assertRefused(String message, List<TensorType> operands) {
        assertThatThrownBy(() -> OP.infer(operands))
                .isInstanceOf(ShapeException.class)
                .hasMessage(message);
    }
}
