package dev.remat.ir.op;

import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.flops;
import static dev.remat.ir.op.Types.i64;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ReduceTest {
    private static final Reduce SUM = new Reduce(Reduce.Kind.SUM, List.of(2, 0));

    @Test
    void keepsReducedAxesWithExtentOne() {
        assertThat(infer(SUM, f32("B", 3, "T"))).isEqualTo(f32(1, 3, 1));
        assertThat(infer(SUM, i64("B", 3, "T"))).isEqualTo(i64(1, 3, 1));
        assertThat(SUM.axes()).containsExactly(0, 2);
    }

    @Test
    void refusesAxesThatAreNotThere() {
        assertThatThrownBy(() -> infer(SUM, f32(2, 3)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("reduce_sum along axis 2 does not suit f32[2, 3]");
        assertThatThrownBy(() -> infer(new Reduce(Reduce.Kind.MEAN, List.of(0)), i64(3)))
                .isInstanceOf(ShapeException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> new Reduce(Reduce.Kind.SUM, List.of(1, 1)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Reduce(Reduce.Kind.SUM, List.of(-1)));
    }

    @Test
    void countsOneOperationAnOperandElement() {
        assertThat(flops(SUM, f32(2, 3, 4))).isEqualTo(24);
    }
}
