package dev.remat.runtime.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class InitialValuesTest {
    private static final int COUNT = 200_000;

    private static float[] draw(String name, Initializer initializer, long seed) {
        return all(name, DType.F32, COUNT, initializer, seed).toArray(ValueLayout.JAVA_FLOAT);
    }

    private static MemorySegment all(String name, DType type, int count, Initializer initializer, long seed) {
        MemorySegment values = Arena.ofAuto().allocate((long) count * type.bytes(), Long.BYTES);
        new InitialValues(name, type, initializer, seed).fill(0, values);
        return values;
    }

    @Test
    void aPieceIsAsTheWholeHasIt() {
        Initializer start = new Initializer.Normal(0, 1);
        float[] whole = draw("w", start, 1);
        MemorySegment piece = Arena.ofAuto().allocate(4 * 1000, Long.BYTES);
        new InitialValues("w", DType.F32, start, 1).fill(70_001, piece);
        assertThat(piece.toArray(ValueLayout.JAVA_FLOAT)).isEqualTo(Arrays.copyOfRange(whole, 70_001, 71_001));
    }

    /** Means and variances of 200,000 draws lie within five standard errors. */
    @Test
    void hasTheMomentsAskedFor() {
        float[] normal = draw("w", new Initializer.Normal(1, 2), 1);
        assertThat(mean(normal)).isBetween(1 - 0.0224, 1 + 0.0224);
        assertThat(variance(normal)).isBetween(4 - 0.064, 4 + 0.064);
        float[] uniform = draw("w", new Initializer.Uniform(-1, 3), 1);
        assertThat(mean(uniform)).isBetween(1 - 0.013, 1 + 0.013);
        assertThat(variance(uniform)).isBetween(4 / 3.0 - 0.014, 4 / 3.0 + 0.014);
        for (float value : uniform) {
            assertThat(value).isBetween(-1f, 3f);
        }
    }

    @Test
    void dependsOnNameAndSeed() {
        float[] values = draw("w", new Initializer.Normal(0, 1), 1);
        assertThat(draw("w", new Initializer.Normal(0, 1), 1)).isEqualTo(values);
        assertThat(draw("v", new Initializer.Normal(0, 1), 1)).isNotEqualTo(values);
        assertThat(draw("w", new Initializer.Normal(0, 1), 2)).isNotEqualTo(values);
    }

    @Test
    void lengthsAreThoseOfWhatAnotherTensorStartsFrom() {
        Initializer start = new Initializer.Uniform(-1, 3);
        float[] v = draw("v", start, 1);
        float[] g = all("g", DType.F32, COUNT / 50, new Initializer.Lengths("v", 50, start), 1)
                .toArray(ValueLayout.JAVA_FLOAT);
        for (int i = 0; i < g.length; i++) {
            double sum = 0;
            for (int j = 0; j < 50; j++) {
                sum += (double) v[50 * i + j] * v[50 * i + j];
            }
            assertThat(g[i]).isEqualTo((float) Math.sqrt(sum));
        }
        assertThat(g)
                .isNotEqualTo(all("g", DType.F32, COUNT / 50, new Initializer.Lengths("w", 50, start), 1)
                        .toArray(ValueLayout.JAVA_FLOAT));
    }

    @Test
    void fillsEveryType() {
        for (DType type : new DType[] {DType.F64, DType.F32, DType.F16, DType.BF16, DType.I32, DType.I64}) {
            MemorySegment segment = all("w", type, 3, Initializer.ONES, 1);
            long bits = switch (type) {
                case F64 -> 0x3ff0000000000000L;
                case F32 -> 0x3f800000L;
                case F16 -> 0x3c00L;
                case BF16 -> 0x3f80L;
                case I32, I64, BOOL, BIT, SEED -> 1L;
            };
            byte[] bytes = segment.toArray(ValueLayout.JAVA_BYTE);
            for (int i = 0; i < bytes.length; i++) {
                assertThat(bytes[i]).isEqualTo((byte) (bits >>> 8 * (i % type.bytes())));
            }
        }
    }

    private static double mean(float[] values) {
        double sum = 0;
        for (float value : values) {
            sum += value;
        }
        return sum / values.length;
    }

    private static double variance(float[] values) {
        double mean = mean(values);
        double sum = 0;
        for (float value : values) {
            sum += (value - mean) * (value - mean);
        }
        return sum / values.length;
    }
}
