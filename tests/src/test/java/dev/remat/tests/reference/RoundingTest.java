package dev.remat.tests.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import org.junit.jupiter.api.Test;

class RoundingTest {
    private static double bf16(double value) {
        return Rounding.TO_DTYPE.round(value, DType.BF16);
    }

    private static double f16(double value) {
        return Rounding.TO_DTYPE.round(value, DType.F16);
    }

    @Test
    void tiesGoToEven() {
        assertThat(bf16(1 + 0x1p-8)).isEqualTo(1);
        assertThat(bf16(1 + 0x3p-8)).isEqualTo(1 + 0x1p-6);
        assertThat(bf16(1 + 0x1.1p-8)).isEqualTo(1 + 0x1p-7);
        assertThat(f16(-(1 + 0x1p-11))).isEqualTo(-1);
        assertThat(Rounding.TO_DTYPE.round(1 + 0x1p-24, DType.F32)).isEqualTo(1);
    }

    @Test
    void largeAndSmallEnds() {
        assertThat(f16(65519)).isEqualTo(65504);
        assertThat(f16(65520)).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(f16(0x1.8p-24)).isEqualTo(0x1p-23);
        assertThat(f16(0x1p-25)).isZero();
        assertThat(bf16(3.4e38)).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(bf16(Double.NaN)).isNaN();
    }

    @Test
    void everySixteenBitNumberStays() {
        for (int bits = 0; bits < 1 << 16; bits++) {
            float half = Float.float16ToFloat((short) bits);
            float brain = Float.intBitsToFloat(bits << 16);
            assertThat(f16(half)).isEqualTo(Double.valueOf(half));
            assertThat(bf16(brain)).isEqualTo(Double.valueOf(brain));
        }
    }

    @Test
    void agreesWithTheConversionOfTheLanguage() {
        for (int i = 0; i < 10_000; i++) {
            float value = Float.intBitsToFloat(i * 0x9E3779B1);
            double expected = Float.float16ToFloat(Float.floatToFloat16(value));
            assertThat(f16(value)).isEqualTo(Double.valueOf(expected));
        }
    }

    @Test
    void nothingHappensWithoutRounding() {
        assertThat(Rounding.NONE.round(0.1, DType.BF16)).isEqualTo(0.1);
        assertThat(Rounding.TO_DTYPE.round(1e300, DType.F64)).isEqualTo(1e300);
    }
}
