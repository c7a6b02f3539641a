package dev.remat.ir.op;

import static dev.remat.ir.op.Types.bf16;
import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.flops;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MatMulTest {
    private static final MatMul PLAIN = new MatMul(false, false);

    @Test
    void multipliesTheLastTwoAxes() {
        assertThat(infer(PLAIN, f32("M", "K"), f32("K", "N"))).isEqualTo(f32("M", "N"));
        assertThat(infer(new MatMul(false, true), f32("M", "K"), f32("N", "K"))).isEqualTo(f32("M", "N"));
        assertThat(infer(new MatMul(true, false), f32("K", "M"), f32("K", "N"))).isEqualTo(f32("M", "N"));
        assertThat(infer(new MatMul(true, true), f32("B", "K", "M"), f32("B", "N", "K")))
                .isEqualTo(f32("B", "M", "N"));
    }

    @Test
    void oneMatrixServesAllRows() {
        assertThat(infer(PLAIN, bf16("B", "T", 4), bf16(4, 8))).isEqualTo(bf16("B", "T", 8));
        assertThat(infer(new MatMul(false, true), f32("A", "B", "T", 4), f32(8, 4)))
                .isEqualTo(f32("A", "B", "T", 8));
        assertThatThrownBy(() -> infer(new MatMul(true, false), f32("B", 4, "T"), f32(4, 8)))
                .isInstanceOf(ShapeException.class);
    }

    @Test
    void refusesWhatDoesNotMeet() {
        assertThatThrownBy(() -> infer(PLAIN, f32("M", 3), f32(4, "N")))
                .isInstanceOf(ShapeException.class)
                .hasMessage("matmul cannot sum over extents 3 and 4 of f32[M, 3] and f32[4, N]");
        assertThatThrownBy(() -> infer(PLAIN, f32(2, 3, 4), f32(3, 4, 5)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("matmul takes equal batch extents, got f32[2, 3, 4] and f32[3, 4, 5]");
        assertThatThrownBy(() -> infer(PLAIN, f32(3), f32(3))).isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> infer(PLAIN, f32(3, 3), bf16(3, 3))).isInstanceOf(ShapeException.class);
    }

    @Test
    void countsTwoOperationsATerm() {
        assertThat(flops(PLAIN, f32(3, 5), f32(5, 7))).isEqualTo(2 * 3 * 5 * 7);
        assertThat(flops(new MatMul(true, true), f32(2, 5, 3), f32(2, 7, 5))).isEqualTo(2 * 2 * 3 * 5 * 7);
        assertThat(flops(PLAIN, f32(2, 3, 5), f32(5, 7))).isEqualTo(2 * 2 * 3 * 5 * 7);
    }
}
