package dev.remat.ir.op;

import static dev.remat.ir.op.Types.bf16;
import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.flops;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SoftmaxTest {
    @Test
    void keepsTheType() {
        assertThat(infer(new Softmax(), bf16("B", 5))).isEqualTo(bf16("B", 5));
        assertThat(infer(new Softmax(true), f32("B", 5))).isEqualTo(f32("B", 5));
        assertThat(flops(new Softmax(), f32(2, 3))).isEqualTo(30);
    }

    @Test
    void needsAnAxis() {
        assertThatThrownBy(() -> infer(new Softmax(), f32()))
                .isInstanceOf(ShapeException.class)
                .hasMessage("softmax runs over the last axis, and f32[] has none");
        assertThatThrownBy(() -> infer(new Softmax(true), f32())).isInstanceOf(ShapeException.class);
    }
}
