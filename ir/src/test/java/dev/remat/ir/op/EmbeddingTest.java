package dev.remat.ir.op;

import static dev.remat.ir.op.Types.bf16;
import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.i64;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.Dim;
import org.junit.jupiter.api.Test;

class EmbeddingTest {
    @Test
    void idsBecomeRows() {
        assertThat(infer(new Embedding(), bf16("V", 8), i64("B", "T"))).isEqualTo(bf16("B", "T", 8));
        assertThat(infer(new Embedding(), f32("V", 8), i64())).isEqualTo(f32(8));
        assertThatThrownBy(() -> infer(new Embedding(), f32("V", 8), f32("B")))
                .isInstanceOf(ShapeException.class)
                .hasMessage("embedding wants ids of i32 or i64, got f32[B]");
        assertThatThrownBy(() -> infer(new Embedding(), f32(8), i64("B"))).isInstanceOf(ShapeException.class);
    }

    @Test
    void gradientHasTheShapeOfTheTable() {
        Op op = new EmbeddingGradient(Dim.symbol("V"));
        assertThat(infer(op, f32("B", "T", 8), i64("B", "T"))).isEqualTo(f32("V", 8));
        assertThat(infer(op.bind(dim -> Dim.of(5)), f32(3, 8), i64(3))).isEqualTo(f32(5, 8));
        assertThatThrownBy(() -> infer(op, f32("B", "T", 8), i64("B"))).isInstanceOf(ShapeException.class);
    }

    @Test
    void gatherTakesTheShapeOfTheIndices() {
        assertThat(infer(new Gather(1), f32("B", 5, 2), i64("B", 3, 2))).isEqualTo(f32("B", 3, 2));
        assertThatThrownBy(() -> infer(new Gather(1), f32("B", 5, 2), i64("B", 3, 1)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("gather along axis 1 does not pair f32[B, 5, 2] with indices i64[B, 3, 1]");
        assertThat(infer(new ScatterAdd(1, Dim.of(5)), f32("B", 3), i64("B", 3)))
                .isEqualTo(f32("B", 5));
        assertThatThrownBy(() -> infer(new ScatterAdd(1, Dim.of(5)), f32("B", 3), i64("B", 4)))
                .isInstanceOf(ShapeException.class);
    }
}
