package dev.remat.ir.op;

import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.i64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.util.List;
import org.junit.jupiter.api.Test;

class DrawTest {
    @Test
    void handsTheSeedOn() {
        Draw normal = new Draw(Draw.Kind.NORMAL, 0, 3, f32("B", 4));
        assertThat(normal.infer(List.of(TensorType.SEED))).containsExactly(f32("B", 4), TensorType.SEED);
        assertThat(normal.seedOrdinal()).isEqualTo(4);
        assertThat(normal.bind(dim -> Dim.of(2))).isEqualTo(new Draw(Draw.Kind.NORMAL, 0, 3, f32(2, 2)));
        assertThat(normal.retype(any -> DType.F64))
                .isEqualTo(new Draw(Draw.Kind.NORMAL, 0, 3, Types.of(DType.F64, "B", 4)));
    }

    @Test
    void refusesWhatItCannotDraw() {
        assertThatThrownBy(() -> new Draw(Draw.Kind.NORMAL, 0, 0, f32(4)).infer(List.of(i64())))
                .isInstanceOf(ShapeException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> new Draw(Draw.Kind.NORMAL, 0, 0, i64(4)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Draw(Draw.Kind.NORMAL, 0, -1, f32(4)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Draw(Draw.Kind.UNIFORM, 3, 0, f32(4)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Draw(Draw.Kind.INTEGER, 0, 0, i64(4)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Draw(Draw.Kind.INTEGER, 3, 0, f32(4)));
        assertThat(new Draw(Draw.Kind.INTEGER, 1L << 31, 0, i64(4)).bound()).isEqualTo(1L << 31);
    }
}
