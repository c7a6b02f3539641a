package dev.remat.ir.op;

import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.flops;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.Dim;
import org.junit.jupiter.api.Test;

class Conv2dTest {
    private static final ConvGeometry SAME = new ConvGeometry(1, 1, 1, 1, 1, 1, 1);
    private static final ConvGeometry HALVING = new ConvGeometry(2, 2, 1, 1, 1, 1, 1);
    private static final ConvGeometry DILATED = new ConvGeometry(1, 2, 0, 3, 2, 1, 2);

    @Test
    void outputExtents() {
        assertThat(infer(new Conv2d(SAME), f32("N", 3, "H", "W"), f32(8, 3, 3, 3)))
                .isEqualTo(f32("N", 8, "H", "W"));
        assertThat(infer(new Conv2d(HALVING), f32(1, 3, 7, 8), f32(8, 3, 3, 3))).isEqualTo(f32(1, 8, 4, 4));
        assertThat(infer(new Conv2d(HALVING), f32(1, 3, "2*H", 8), f32(8, 3, 4, 4)))
                .isEqualTo(f32(1, 8, "H", 4));
        // Rows: 9 − (3−1)·2 = 5. Columns: ⌊(8 + 6 − 2)/2⌋ + 1 = 7.
        assertThat(infer(new Conv2d(DILATED), f32(1, 4, 9, 8), f32(6, 2, 3, 2))).isEqualTo(f32(1, 6, 5, 7));
    }

    @Test
    void imagesMayHaveTheirChannelsLast() {
        ConvGeometry last = DILATED.in(ImageLayout.NHWC);
        assertThat(infer(new Conv2d(last), f32(1, 9, 8, 4), f32(6, 2, 3, 2))).isEqualTo(f32(1, 5, 7, 6));
        assertThat(infer(new ConvTranspose2d(last, Dim.of(9), Dim.of(8)), f32(1, 5, 7, 6), f32(6, 2, 3, 2)))
                .isEqualTo(f32(1, 9, 8, 4));
        assertThat(infer(new Conv2dWeightGradient(last, Dim.of(3), Dim.of(2)), f32(1, 9, 8, 4), f32(1, 5, 7, 6)))
                .isEqualTo(f32(6, 2, 3, 2));
        assertThatThrownBy(() -> infer(new Conv2d(last), f32(1, 4, 9, 8), f32(6, 2, 3, 2)))
                .isInstanceOf(ShapeException.class);
        assertThat(Conv2d.parse(new Conv2d(last).attributes())).isEqualTo(new Conv2d(last));
        assertThat(new Conv2d(DILATED).attributes().toString()).doesNotContain("layout");
    }

    @Test
    void refusesWhatDoesNotFit() {
        assertThatThrownBy(() -> infer(new Conv2d(SAME), f32(1, 4, 8, 8), f32(8, 3, 3, 3)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("conv2d with 1 groups cannot apply kernels f32[8, 3, 3, 3] to f32[1, 4, 8, 8]");
        assertThatThrownBy(() -> infer(new Conv2d(DILATED), f32(1, 4, 9, 8), f32(5, 2, 3, 2)))
                .isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> infer(new Conv2d(SAME), f32(1, 3, 2, 2), f32(8, 3, 5, 5)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("conv2d kernels f32[8, 3, 5, 5] reach over the edge of f32[1, 3, 2, 2]");
        assertThatThrownBy(() -> infer(new Conv2d(SAME), f32(3, 8, 8), f32(8, 3, 3, 3)))
                .isInstanceOf(ShapeException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> new ConvGeometry(0, 1, 0, 0, 1, 1, 1));
    }

    @Test
    void adjointsGiveBackTheOperands() {
        ConvTranspose2d byInput = new ConvTranspose2d(HALVING, Dim.of(7), Dim.of(8));
        assertThat(infer(byInput, f32("N", 8, 4, 4), f32(8, 3, 3, 3))).isEqualTo(f32("N", 3, 7, 8));
        assertThatThrownBy(() -> infer(byInput, f32("N", 8, 5, 4), f32(8, 3, 3, 3)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("conv_transpose2d of f32[N, 8, 5, 4] by f32[8, 3, 3, 3] does not give 7 x 8");
        Conv2dWeightGradient byFilters = new Conv2dWeightGradient(DILATED, Dim.of(3), Dim.of(2));
        assertThat(infer(byFilters, f32(1, 4, 9, 8), f32(1, 6, 5, 7))).isEqualTo(f32(6, 2, 3, 2));
        assertThatThrownBy(() -> infer(byFilters, f32(1, 4, 9, 8), f32(1, 6, 5, 6)))
                .isInstanceOf(ShapeException.class);
    }

    @Test
    void countsTwoOperationsATerm() {
        long terms = 2L * 8 * 4 * 4 * 3 * 3 * 3;
        assertThat(flops(new Conv2d(HALVING), f32(2, 3, 7, 8), f32(8, 3, 3, 3))).isEqualTo(2 * terms);
        Op byInput = new ConvTranspose2d(HALVING, Dim.of(7), Dim.of(8));
        assertThat(flops(byInput, f32(2, 8, 4, 4), f32(8, 3, 3, 3))).isEqualTo(2 * terms);
        Op byFilters = new Conv2dWeightGradient(HALVING, Dim.of(3), Dim.of(3));
        assertThat(flops(byFilters, f32(2, 3, 7, 8), f32(2, 8, 4, 4))).isEqualTo(2 * terms);
    }
}
