package dev.remat.codegen.cuda.family.move;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import java.util.List;
import org.junit.jupiter.api.Test;

class PadBoxTest {
    private static PadBox.Axis axis(long extent, long low, long inside, long source) {
        return new PadBox.Axis(extent, low, inside, source);
    }

    @Test
    void anUnpaddedAxisJoinsThePaddedOneBefore() {
        PadBox box = PadBox.of(List.of(axis(2, 0, 2, 120), axis(8, 1, 5, 24), axis(3, 0, 3, 8), axis(8, 0, 8, 1)));
        assertThat(box.axes()).containsExactly(axis(2, 0, 2, 120), axis(8 * 24, 24, 5 * 24, 1));
    }

    @Test
    void aPaddedAxisStaysApart() {
        PadBox box = PadBox.of(List.of(axis(2, 0, 2, 5), axis(6, 1, 5, 1)));
        assertThat(box.axes()).containsExactly(axis(2, 0, 2, 5), axis(6, 1, 5, 1));
    }

    @Test
    void anAxisWhoseRowsLieApartStaysApart() {
        PadBox box = PadBox.of(List.of(axis(8, 1, 5, 32), axis(8, 0, 8, 1)));
        assertThat(box.axes()).hasSize(2);
    }

    @Test
    void wordsDividePaddingToo() {
        assertThat(PadBox.of(List.of(axis(32, 8, 16, 1))).word(2, 0, 0)).isEqualTo(new Word(16));
        assertThat(PadBox.of(List.of(axis(32, 4, 16, 1))).word(2, 0, 0)).isEqualTo(new Word(8));
        assertThat(PadBox.of(List.of(axis(33, 8, 16, 1))).word(2, 0, 0)).isEqualTo(new Word(2));
        assertThat(PadBox.of(List.of(axis(32, 8, 16, 2))).word(2, 0, 0)).isEqualTo(new Word(2));
        assertThat(PadBox.of(List.of(axis(32, 8, 16, 1))).inWordsOf(8).axes()).containsExactly(axis(4, 1, 2, 1));
    }

    @Test
    void fillsRepeatTheBitsOfTheirType() {
        assertThat(PadKernel.repeated(DType.F32, 1)).isEqualTo(0x3f800000_3f800000L);
        assertThat(PadKernel.repeated(DType.BF16, -2)).isEqualTo(0xc000_c000_c000_c000L);
        assertThat(PadKernel.repeated(DType.F16, 0.5)).isEqualTo(0x3800_3800_3800_3800L);
        assertThat(PadKernel.repeated(DType.F64, 1)).isEqualTo(0x3ff0_0000_0000_0000L);
        assertThat(PadKernel.repeated(DType.I32, -1)).isEqualTo(-1L);
        assertThat(PadKernel.repeated(DType.I64, -7)).isEqualTo(-7L);
        assertThat(PadKernel.repeated(DType.BOOL, 3)).isEqualTo(0x0101_0101_0101_0101L);
    }

    @Test
    void bfloatFillsRoundToEven() {
        assertThat(PadKernel.repeated(DType.BF16, 1 + 1.0 / 256) & 0xffff).isEqualTo(0x3f80);
        assertThat(PadKernel.repeated(DType.BF16, 1 + 3.0 / 256) & 0xffff).isEqualTo(0x3f82);
        assertThat(PadKernel.repeated(DType.BF16, Double.NEGATIVE_INFINITY) & 0xffff)
                .isEqualTo(0xff80);
    }
}
