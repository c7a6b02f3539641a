package dev.remat.ir.op;

import static dev.remat.ir.op.Types.bf16;
import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.i64;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import java.util.List;
import org.junit.jupiter.api.Test;

class CrossEntropyTest {
    private static final CrossEntropy OP = new CrossEntropy(0, -100);

    @Test
    void lossAndLogSumExpAreWide() {
        assertThat(OP.infer(List.of(bf16("B*T", "V"), i64("B*T")))).containsExactly(f32(), f32("B*T"));
        assertThat(OP.infer(List.of(Types.of(DType.F64, 4, 3), Types.of(DType.I32, 4))))
                .containsExactly(Types.of(DType.F64), Types.of(DType.F64, 4));
    }

    @Test
    void aLossForEachRowIsWideToo() {
        Op rows = new CrossEntropy(0, -100, true);
        assertThat(rows.infer(List.of(bf16("N", "V"), i64("N")))).containsExactly(f32("N"), f32("N"));
        Op gradient = new CrossEntropyGradient(new CrossEntropy(0, -100, true));
        assertThat(infer(gradient, f32("N"), bf16("N", 3), i64("N"), f32("N"))).isEqualTo(bf16("N", 3));
        assertThatThrownBy(() -> infer(gradient, f32(), bf16("N", 3), i64("N"), f32("N")))
                .isInstanceOf(ShapeException.class);
    }

    @Test
    void takesOneTargetARow() {
        assertThatThrownBy(() -> OP.infer(List.of(f32(4, 3), i64(3))))
                .isInstanceOf(ShapeException.class)
                .hasMessage("cross_entropy wants targets of shape [4], got i64[3]");
        assertThatThrownBy(() -> OP.infer(List.of(f32(4, 3), f32(4)))).isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> OP.infer(List.of(f32(2, 4, 3), i64(2, 4)))).isInstanceOf(ShapeException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> new CrossEntropy(1.5, 0));
    }

    @Test
    void gradientHasTheTypeOfTheLogits() {
        Op op = new CrossEntropyGradient(new CrossEntropy(0, -100));
        assertThat(infer(op, f32(), bf16("N", 3), i64("N"), f32("N"))).isEqualTo(bf16("N", 3));
        assertThatThrownBy(() -> infer(op, bf16(), bf16("N", 3), i64("N"), f32("N")))
                .isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> infer(op, f32(), bf16("N", 3), i64("N"), f32("M")))
                .isInstanceOf(ShapeException.class);
    }
}
