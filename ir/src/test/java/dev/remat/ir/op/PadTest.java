package dev.remat.ir.op;

import static dev.remat.ir.op.Types.dims;
import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PadTest {
    @Test
    void growsBothEnds() {
        assertThat(infer(new Pad(dims(1, "S"), dims(2, 0), 0), f32("T", 3))).isEqualTo(f32("T+3", "S+3"));
    }

    @Test
    void refusesNegativePadding() {
        assertThatThrownBy(() -> infer(new Pad(dims("0-1"), dims(0), 0), f32(3)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("pad leaves f32[3] with padding before it of -1");
        assertThatThrownBy(() -> infer(new Pad(dims(1), dims(0), 0), f32(3, 3))).isInstanceOf(ShapeException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> new Pad(dims(1), dims(1, 2), 0));
    }
}
