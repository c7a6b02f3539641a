package dev.remat.ir.op;

import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.i64;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.TensorType;
import java.util.List;
import org.junit.jupiter.api.Test;

class DropoutTest {
    @Test
    void handsTheSeedOn() {
        Op op = new Dropout(0.1, 3);
        assertThat(op.infer(List.of(f32("B", 4), TensorType.SEED))).containsExactly(f32("B", 4), TensorType.SEED);
        assertThat(infer(new DropoutGradient(new Dropout(0.1, 3)), f32("B", 4), TensorType.SEED))
                .isEqualTo(f32("B", 4));
        assertThat(infer(new StepSeed())).isEqualTo(TensorType.SEED);
        assertThat(infer(new ResetSeed(3))).isEqualTo(TensorType.SEED);
    }

    @Test
    void refusesOtherSeeds() {
        assertThatThrownBy(() -> new Dropout(0.1, 3).infer(List.of(f32(4), i64())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("dropout wants a seed as its last operand, got i64[]");
        assertThatIllegalArgumentException().isThrownBy(() -> new Dropout(1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Dropout(-0.1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Dropout(0.1, -1));
    }
}
