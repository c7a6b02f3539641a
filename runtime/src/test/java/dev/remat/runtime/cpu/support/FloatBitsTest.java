package dev.remat.runtime.cpu.support;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FloatBitsTest {
    private static final float[] SPECIAL = {
        0f,
        -0f,
        1f,
        -1f,
        Float.MIN_VALUE,
        -Float.MIN_VALUE,
        Float.MAX_VALUE,
        -Float.MAX_VALUE,
        Float.POSITIVE_INFINITY,
        Float.NEGATIVE_INFINITY,
        Float.NaN,
        1.0000001f
    };

    @Test
    void comparesEveryPairOfSpecialValuesAsJavaDoes() {
        FloatBits bits = new FloatBits();
        int n = SPECIAL.length * SPECIAL.length;
        float[] a = new float[n];
        float[] b = new float[n];
        for (int i = 0; i < n; i++) {
            a[i] = SPECIAL[i / SPECIAL.length];
            b[i] = SPECIAL[i % SPECIAL.length];
        }
        long[] less = new long[n];
        long[] lessOrEqual = new long[n];
        bits.less(a, b, less, n);
        bits.lessOrEqual(a, b, lessOrEqual, n);
        for (int i = 0; i < n; i++) {
            assertThat(less[i]).as("%s < %s", a[i], b[i]).isEqualTo(a[i] < b[i] ? 1 : 0);
            assertThat(lessOrEqual[i]).as("%s <= %s", a[i], b[i]).isEqualTo(a[i] <= b[i] ? 1 : 0);
        }
    }

    @Test
    void selectsBitsUnchanged() {
        float[] a = {1, Float.NaN, -0f, 4};
        float[] b = {5, 6, 7, Float.NEGATIVE_INFINITY};
        float[] out = new float[4];
        new FloatBits().where(new long[] {1, 0, 1, 0}, a, b, out, 4);
        assertThat(out).containsExactly(1, 6, -0f, Float.NEGATIVE_INFINITY);
    }

    @Test
    void keepsWordsFromTheThresholdOn() {
        int[] words = {-1, 0x7F, 0x80 << 8, 0x7F << 8, -1 << 31};
        float[] out = new float[4];
        new FloatBits().keep(words, 1, 0x80, 2, new float[] {1, 2, 3, 4}, out, 4);
        assertThat(out).containsExactly(0, 4, 0, 8);
    }
}
