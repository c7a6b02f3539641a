package dev.remat.codegen.cuda.family.move;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import org.junit.jupiter.api.Test;

class PadKernelTest {
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
