package dev.remat.ir.op;

import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.flops;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.Dim;
import org.junit.jupiter.api.Test;

class Pool2dTest {
    private static final PoolWindow HALVING = new PoolWindow(2, 2, 2, 2, 0, 0);
    private static final PoolWindow PADDED = new PoolWindow(3, 3, 2, 2, 1, 1);

    @Test
    void imagesMayHaveTheirChannelsLast() {
        PoolWindow last = PADDED.in(ImageLayout.NHWC);
        assertThat(infer(new MaxPool2d(last), f32(2, 9, 8, 5))).isEqualTo(f32(2, 5, 4, 5));
        assertThat(infer(new AvgPool2dGradient(last, false, Dim.of(9), Dim.of(8)), f32(2, 5, 4, 5)))
                .isEqualTo(f32(2, 9, 8, 5));
        assertThat(MaxPool2d.parse(new MaxPool2d(last).attributes())).isEqualTo(new MaxPool2d(last));
    }

    @Test
    void outputExtents() {
        assertThat(infer(new MaxPool2d(HALVING), f32("N", 3, "2*H", 7))).isEqualTo(f32("N", 3, "H", 3));
        assertThat(infer(new AvgPool2d(PADDED, true), f32(1, 3, 8, 7))).isEqualTo(f32(1, 3, 4, 4));
    }

    @Test
    void partialWindowsBeginInsideOrInFront() {
        PoolWindow partial = new PoolWindow(2, 2, 2, 2, 0, 0, true);
        assertThat(infer(new MaxPool2d(partial), f32("N", 3, 7, 8))).isEqualTo(f32("N", 3, 4, 4));
        assertThat(infer(new MaxPool2d(partial), f32(1, 3, 1, 8))).isEqualTo(f32(1, 3, 1, 4));
        // Of a window of one every third, and of padded ones every fourth, the next would begin behind the image.
        assertThat(infer(new MaxPool2d(new PoolWindow(1, 2, 3, 4, 0, 1, true)), f32(1, 3, 7, 7)))
                .isEqualTo(f32(1, 3, 3, 2));
        assertThat(infer(new AvgPool2d(new PoolWindow(1, 2, 3, 4, 0, 1, true), false), f32(1, 3, 8, 8)))
                .isEqualTo(f32(1, 3, 3, 3));
        assertThat(infer(new MaxPool2d(partial), f32(1, 3, "2*H", 2))).isEqualTo(f32(1, 3, "H", 1));
        assertThatThrownBy(() -> infer(new MaxPool2d(new PoolWindow(4, 2, 1, 1, 0, 0, true)), f32(1, 3, 2, 8)))
                .isInstanceOf(ShapeException.class);
        assertThat(new MaxPool2d(partial).attributes().toString()).contains("partial=true");
        assertThat(new MaxPool2d(HALVING).attributes().toString()).doesNotContain("partial");
    }

    @Test
    void dilatedWindowsReachFurther() {
        PoolWindow dilated = new PoolWindow(3, 2, 1, 2, 1, 0, 2, 3, false);
        assertThat(infer(new MaxPool2d(dilated), f32("N", 3, "H", 9))).isEqualTo(f32("N", 3, "H-2", 3));
        PoolWindow partial = new PoolWindow(3, 2, 1, 2, 1, 0, 2, 3, true);
        assertThat(infer(new MaxPool2d(partial), f32(1, 3, 7, 8))).isEqualTo(f32(1, 3, 5, 3));
        assertThat(infer(new MaxPool2dGradient(dilated), f32(1, 3, 5, 3), f32(1, 3, 7, 9)))
                .isEqualTo(f32(1, 3, 7, 9));
        assertThatThrownBy(() -> infer(new MaxPool2d(dilated), f32(1, 3, 7, 3)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("max_pool2d with a window of 5 x 4 does not fit into f32[1, 3, 7, 3]");
        assertThat(new MaxPool2d(dilated).attributes().toString()).contains("dilation_h=2", "dilation_w=3");
        assertThat(new MaxPool2d(HALVING).attributes().toString()).doesNotContain("dilation");
        assertThatIllegalArgumentException().isThrownBy(() -> new AvgPool2d(dilated, true));
        PoolWindow cut = new PoolWindow(2, 2, 2, 2, 0, 0, true);
        assertThatIllegalArgumentException().isThrownBy(() -> new AvgPool2d(cut, true));
        assertThatIllegalArgumentException().isThrownBy(() -> new AvgPool2dGradient(cut, true, Dim.of(5), Dim.of(4)));
        assertThatIllegalArgumentException().isThrownBy(() -> new PoolWindow(2, 2, 1, 1, 0, 0, 0, 1, false));
    }

    @Test
    void refusesWhatDoesNotFit() {
        assertThatThrownBy(() -> infer(new MaxPool2d(HALVING), f32(1, 3, 1, 8)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("max_pool2d with a window of 2 x 2 does not fit into f32[1, 3, 1, 8]");
        assertThatThrownBy(() -> infer(new MaxPool2d(HALVING), f32(3, 8, 8))).isInstanceOf(ShapeException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> new PoolWindow(2, 2, 1, 1, 2, 0));
    }

    @Test
    void gradientsGiveBackTheOperand() {
        Op max = new MaxPool2dGradient(PADDED);
        assertThat(infer(max, f32(1, 3, 4, 4), f32(1, 3, 8, 7))).isEqualTo(f32(1, 3, 8, 7));
        assertThatThrownBy(() -> infer(max, f32(1, 3, 4, 3), f32(1, 3, 8, 7))).isInstanceOf(ShapeException.class);
        Op mean = new AvgPool2dGradient(PADDED, false, Dim.of(8), Dim.of(7));
        assertThat(infer(mean, f32("N", 3, 4, 4))).isEqualTo(f32("N", 3, 8, 7));
        assertThatThrownBy(() -> infer(mean, f32("N", 3, 4, 3))).isInstanceOf(ShapeException.class);
    }

    @Test
    void countsTheElementsOfTheWindows() {
        assertThat(flops(new MaxPool2d(PADDED), f32(1, 3, 8, 7))).isEqualTo(9 * 3 * 4 * 4);
        assertThat(flops(new AvgPool2d(HALVING, true), f32(1, 3, 8, 8))).isEqualTo(4 * 3 * 4 * 4);
    }
}
