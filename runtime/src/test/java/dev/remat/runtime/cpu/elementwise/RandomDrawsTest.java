package dev.remat.runtime.cpu.elementwise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.Registers;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RandomDrawsTest {
    private static final int CHUNK = 1000;
    private static final int CHUNKS = 400;
    private static final RandomDraws DRAWS = new RandomDraws(new RandomBits(42, 3), 1);

    private static long[] from(long first, int count) {
        return LongStream.range(first, first + count).toArray();
    }

    private static float[] normals(long[] index) {
        float[] out = new float[index.length];
        DRAWS.normal(index, out, index.length, new Registers());
        return out;
    }

    /** Standard errors of the first four moments of n normal numbers are √(1, 2, 15, 96)/√n. */
    @Test
    void normalNumbersHaveTheMomentsOfAGaussian() {
        double[] moments = new double[5];
        double neighbours = 0;
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
            float[] values = normals(from((long) chunk * CHUNK, CHUNK));
            for (int i = 0; i < CHUNK; i++) {
                for (int power = 1; power <= 4; power++) {
                    moments[power] += Math.pow(values[i], power);
                }
                neighbours += (double) values[i] * values[i ^ 1];
            }
        }
        int n = CHUNK * CHUNKS;
        double error = 4 / Math.sqrt(n);
        assertThat(moments[1] / n).isCloseTo(0, within(error));
        assertThat(moments[2] / n).isCloseTo(1, within(error * Math.sqrt(2)));
        assertThat(moments[3] / n).isCloseTo(0, within(error * Math.sqrt(15)));
        assertThat(moments[4] / n).isCloseTo(3, within(error * Math.sqrt(96)));
        assertThat(neighbours / n).isCloseTo(0, within(error * Math.sqrt(2)));
    }

    @Test
    void bitsDependOnTheElementAlone() {
        float[] all = normals(from(0, 64));
        for (int first = 1; first < 9; first++) {
            assertThat(normals(from(first, 21))).isEqualTo(Arrays.copyOfRange(all, first, first + 21));
        }
        assertThat(normals(new long[] {40, 3, 22})).containsExactly(all[40], all[3], all[22]);
        double[] wide = new double[64];
        DRAWS.normal(from(0, 64), wide, 64);
        for (int i = 0; i < 64; i++) {
            assertThat(all[i]).isEqualTo((float) wide[i], within(2e-7f));
        }
    }

    @Test
    void fractionsStayBelowOneInEveryDtype() {
        for (DType dtype : new DType[] {DType.F32, DType.BF16, DType.F16}) {
            float[] out = new float[CHUNK];
            DRAWS.uniform(dtype, from(0, CHUNK), out, CHUNK);
            double sum = 0;
            for (float value : out) {
                assertThat(value).isBetween(0f, 0.99999994f);
                sum += value;
            }
            assertThat(sum / CHUNK).isCloseTo(0.5, within(4 / Math.sqrt(12.0 * CHUNK) + 0.5 / 256));
        }
    }

    @Test
    void integersCoverTheirRange() {
        long[] out = new long[CHUNK];
        DRAWS.integers(7, from(0, CHUNK), out, CHUNK);
        assertThat(Arrays.stream(out).distinct().sorted()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L);
        int[] counts = new int[7];
        Arrays.stream(out).forEach(value -> counts[(int) value]++);
        double expected = CHUNK / 7.0;
        double chi = IntStream.of(counts)
                .mapToDouble(c -> (c - expected) * (c - expected) / expected)
                .sum();
        // The 99.9 % quantile of χ² with six degrees of freedom.
        assertThat(chi).isLessThan(22.46);
    }
}
