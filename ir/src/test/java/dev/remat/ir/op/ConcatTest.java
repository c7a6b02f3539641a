package dev.remat.ir.op;

import static dev.remat.ir.op.Types.bf16;
import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ConcatTest {
    @Test
    void addsExtentsAlongTheAxis() {
        assertThat(infer(new Concat(1), f32("B", "T"), f32("B", 1), f32("B", "T")))
                .isEqualTo(f32("B", "2*T+1"));
        assertThat(infer(new Concat(0), f32(3))).isEqualTo(f32(3));
    }

    @Test
    void refusesWhatDiffersElsewhere() {
        assertThatThrownBy(() -> infer(new Concat(1), f32("B", 2), f32("C", 2)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("concat along axis 1 does not join f32[B, 2] and f32[C, 2]");
        assertThatThrownBy(() -> infer(new Concat(0), f32(2), bf16(2))).isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> infer(new Concat(0), f32(2), f32(2, 2))).isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> infer(new Concat(1), f32(2))).isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> infer(new Concat(0))).isInstanceOf(ShapeException.class);
    }
}
