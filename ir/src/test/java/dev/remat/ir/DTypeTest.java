package dev.remat.ir;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DTypeTest {
    @Test
    void eightBitsAreAByte() {
        assertThat(DType.BIT.bytesOf(16)).isEqualTo(2);
        assertThat(DType.BIT.bytesOf(17)).isEqualTo(3);
        assertThat(DType.BIT.elementsIn(3)).isEqualTo(24);
        assertThat(TensorType.of(DType.BIT, 3, 40).bytes()).isEqualTo(15);
        assertThat(DType.BOOL.bytesOf(17)).isEqualTo(17);
        assertThat(DType.BF16.bytesOf(17)).isEqualTo(34);
        assertThat(DType.BF16.elementsIn(34)).isEqualTo(17);
    }

    @Test
    void modelsNameNeitherBitsNorSeeds() {
        assertThat(Arrays.stream(DType.values()).filter(DType::isOfModels).map(DType::label))
                .containsExactly("f32", "bf16", "f16", "f64", "i32", "i64", "bool");
    }
}
