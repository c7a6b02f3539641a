package dev.remat.runtime.io.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PixelsTest {
    /** The values {@code (7 x + 13 y + 3 x y) / 255}. */
    private static Pixels slope(int height, int width) {
        float[] values = new float[height * width];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                values[y * width + x] = (7 * x + 13 * y + 3 * x * y) / 255f;
            }
        }
        return new Pixels(1, height, width, values);
    }

    /** {@code interpolate(image, size, mode='bilinear', antialias=True)} of PyTorch 2.13 in f64. */
    @Test
    void scalesAsPyTorchDoes() {
        assertClose(
                slope(7, 5).covering(4, 2),
                0.060317,
                0.127544,
                0.157961,
                0.261804,
                0.273412,
                0.420549,
                0.371055,
                0.554809);
        Pixels large = slope(3, 4).covering(6, 8);
        assertThat(large.values()).hasSize(48);
        float[] secondRow = Arrays.copyOfRange(large.values(), 8, 16);
        assertClose(
                new Pixels(1, 1, 8, secondRow),
                0.012745,
                0.020343,
                0.035539,
                0.050735,
                0.065931,
                0.081127,
                0.096324,
                0.103922);
    }

    private static void assertClose(Pixels found, double... expected) {
        assertThat(found.values()).hasSize(expected.length);
        for (int i = 0; i < expected.length; i++) {
            assertThat((double) found.values()[i]).isCloseTo(expected[i], within(2e-6));
        }
    }

    @Test
    void aFittingImageStaysAsItIs() {
        assertThat(slope(5, 6).covering(5, 6).values()).isEqualTo(slope(5, 6).values());
    }

    /** Far from its borders a slope is the same slope at any scale: pixels 2.5 and 4.5 of eight are in the middle. */
    @Test
    void takesTheMiddleOfTheLongerSide() {
        float[] wide = new float[4 * 8];
        float[] tall = new float[8 * 4];
        for (int i = 0; i < wide.length; i++) {
            int column = i % 8;
            int row = i / 4;
            wide[i] = column / 10f;
            tall[i] = row / 10f;
        }
        assertClose(new Pixels(1, 4, 8, wide).covering(2, 2), 0.25, 0.45, 0.25, 0.45);
        assertClose(new Pixels(1, 8, 4, tall).covering(2, 2), 0.25, 0.25, 0.45, 0.45);
    }

    @Test
    void channelsDoNotMix() {
        float[] two = new float[2 * 3 * 3];
        Arrays.fill(two, 9, 18, 1f);
        assertClose(new Pixels(2, 3, 3, two).covering(2, 2), 0, 0, 0, 0, 1, 1, 1, 1);
    }
}
