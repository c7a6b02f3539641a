package dev.remat.ir.op;

import static dev.remat.ir.op.Types.bf16;
import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.i64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Update.Write;
import java.util.List;
import org.junit.jupiter.api.Test;

class UpdateTest {
    @Test
    void plainDescentHasNoVelocity() {
        Update op = new SgdUpdate(0, 0, false, 0, true);
        assertThat(op.infer(List.of(f32(3), bf16(3), f32(), f32()))).containsExactly(f32(3));
        assertThat(op.writes()).containsExactly(new Write(0, 0));
        assertThatThrownBy(() -> op.infer(List.of(f32(3), bf16(3), f32())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("sgd_update takes 4 operands, got 3");
    }

    @Test
    void momentumKeepsAVelocity() {
        Update op = new SgdUpdate(0.9, 0, true, 0, false);
        assertThat(op.infer(List.of(f32(3), bf16(3), f32(), f32(3)))).containsExactly(f32(3), f32(3));
        assertThat(op.writes()).containsExactly(new Write(0, 0), new Write(3, 1));
        assertThatThrownBy(() -> op.infer(List.of(f32(3), bf16(4), f32(), f32(3))))
                .isInstanceOf(ShapeException.class)
                .hasMessage("sgd_update wants a gradient of shape [3], got bf16[4]");
        Update dampened = new SgdUpdate(0.9, 0.1, false, 0, true);
        assertThat(dampened.infer(List.of(f32(3), bf16(3), f32(), f32(3), i64(), f32())))
                .containsExactly(f32(3), f32(3));
        assertThatThrownBy(() -> dampened.infer(List.of(f32(3), bf16(3), f32(), f32(3), f32())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("sgd_update takes 6 operands, got 5");
        assertThat(new SgdUpdate(0, 0.1, false, 0, true).factorIndex()).isEqualTo(3);
        assertThatIllegalArgumentException().isThrownBy(() -> new SgdUpdate(0, 0, true, 0, false));
        assertThatIllegalArgumentException().isThrownBy(() -> new SgdUpdate(0.9, 0.1, true, 0, false));
    }

    @Test
    void adamKeepsTwoMoments() {
        Update op = new AdamUpdate(0.9, 0.999, 1e-8, 0, true, false);
        assertThat(op.infer(List.of(f32(3), bf16(3), f32(3), f32(3), f32(), i64())))
                .containsExactly(f32(3), f32(3), f32(3));
        assertThat(op.writes()).containsExactly(new Write(0, 0), new Write(2, 1), new Write(3, 2));
        assertThatThrownBy(() -> op.infer(List.of(f32(3), bf16(3), f32(3), bf16(3), f32(), i64())))
                .isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> op.infer(List.of(f32(3), bf16(3), f32(3), f32(3), f32(1), i64())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("adam_update wants a rate as an f32 scalar, got f32[1]");
    }

    @Test
    void variantsOfAdamHaveTheirOwnStatesAndSizes() {
        Update amsgrad = new AdamVariantUpdate(AdamVariantUpdate.Kind.AMSGRAD, 0.9, 0.999, 1e-8, 0, false, false);
        assertThat(amsgrad.infer(List.of(f32(3), bf16(3), f32(3), f32(3), f32(3), f32(), f32(), f32())))
                .containsExactly(f32(3), f32(3), f32(3), f32(3));
        assertThat(amsgrad.writes())
                .containsExactly(new Write(0, 0), new Write(2, 1), new Write(3, 2), new Write(4, 3));
        Update adamax = new AdamVariantUpdate(AdamVariantUpdate.Kind.ADAMAX, 0.9, 0.999, 1e-8, 0, false, true);
        assertThat(adamax.infer(List.of(f32(3), bf16(3), f32(3), f32(3), f32(), f32(), f32())))
                .containsExactly(f32(3), f32(3), f32(3));
        assertThatThrownBy(() -> adamax.infer(List.of(f32(3), bf16(3), f32(3), bf16(3), f32(), f32(), f32())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("adamax_update wants a state of f32[3], got bf16[3]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AdamVariantUpdate(AdamVariantUpdate.Kind.NADAM, 1, 0.999, 1e-8, 0, false, false));
    }

    @Test
    void adafactorKeepsRowsAndColumns() {
        Update op = new AdafactorUpdate(1e-30, 0, true, false);
        List<TensorType> operands = List.of(f32(5, 3, 4), bf16(5, 3, 4), f32(), f32(), f32(5, 3, 1), f32(5, 1, 4));
        assertThat(op.infer(operands)).containsExactly(f32(5, 3, 4));
        assertThat(op.writes()).containsExactly(new Write(0, 0));
        assertThatThrownBy(() -> op.infer(List.of(f32(3, 4), f32(3, 4), f32(), f32(), f32(1, 4), f32(3, 1))))
                .isInstanceOf(ShapeException.class)
                .hasMessage("adafactor_update wants rows of f32[3, 1], got f32[1, 4]");
        assertThatThrownBy(() -> op.infer(List.of(f32(3), f32(3), f32(), f32(), f32(3), f32(3))))
                .isInstanceOf(ShapeException.class)
                .hasMessageContaining("two axes or more");
        assertThat(new AdafactorUpdate(1e-30, 0, false, true)
                        .infer(List.of(f32(3), f32(3), f32(), f32(), f32(3), f32())))
                .containsExactly(f32(3));
    }

    @Test
    void assignTakesAValueOfItsType() {
        assertThat(new Assign().infer(List.of(i64(), i64()))).containsExactly(i64());
        assertThat(new Assign().writes()).containsExactly(new Write(0, 0));
        assertThatThrownBy(() -> new Assign().infer(List.of(f32(3), bf16(3)))).isInstanceOf(ShapeException.class);
    }

    @Test
    void aConditionComesLast() {
        Update op = new ConditionalUpdate(new SgdUpdate(0, 0, false, 0, false));
        TensorType flag = TensorType.scalar(DType.BOOL);
        assertThat(op.infer(List.of(f32(3), bf16(3), f32(), flag))).containsExactly(f32(3));
        assertThat(op.writes()).containsExactly(new Write(0, 0));
        assertThatThrownBy(() -> op.infer(List.of(f32(3), bf16(3), f32())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("sgd_update_if wants a flag of bool[], got f32[]");
        assertThatThrownBy(() -> op.infer(List.of(f32(3), bf16(4), f32(), flag)))
                .isInstanceOf(ShapeException.class)
                .hasMessageStartingWith("sgd_update wants a gradient");
        assertThatIllegalArgumentException().isThrownBy(() -> new ConditionalUpdate(op));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ConditionalUpdate(new RunningStatistics(0.1, Dim.of(4))));
    }

    @Test
    void someRowsHaveStatesOfTheirOwn() {
        UpdateRows op = new UpdateRows(new AdamUpdate(0.9, 0.999, 1e-8, 0, true, false), 1, 3);
        List<TensorType> operands = List.of(f32(5, 4), bf16(5, 4), f32(2, 4), f32(2, 4), f32(), i64());
        List<TensorType> results = op.infer(operands);
        assertThat(results).containsExactly(f32(5, 4), f32(2, 4), f32(2, 4));
        assertThat(op.writes()).containsExactly(new Write(0, 0), new Write(2, 1), new Write(3, 2));
        assertThat(op.flops(operands, results)).isEqualTo(14 * 8);
        // Three rows of the parameter, twice, and of the gradient.
        assertThat(op.bytesPassedOver(operands)).isEqualTo(2 * 3 * 16 + 3 * 8);
        assertThat(new ConditionalUpdate(op)
                        .bytesPassedOver(List.of(
                                f32(5, 4),
                                bf16(5, 4),
                                f32(2, 4),
                                f32(2, 4),
                                f32(),
                                i64(),
                                TensorType.scalar(DType.BOOL))))
                .isEqualTo(120);
        assertThatThrownBy(() -> op.infer(List.of(f32(5, 4), bf16(5, 4), f32(5, 4), f32(2, 4), f32(), i64())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("adam_update wants a first moment of f32[2, 4], got f32[5, 4]");
        assertThatThrownBy(() -> op.infer(List.of(f32(2, 4), bf16(2, 4), f32(2, 4), f32(2, 4), f32(), i64())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("adam_update_rows wants a parameter of 3 rows or more, got f32[2, 4]");
        assertThatThrownBy(() -> op.infer(List.of(f32(5, 4), bf16(2, 4), f32(2, 4), f32(2, 4), f32(), i64())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("adam_update_rows wants a gradient of shape [5, 4], got bf16[2, 4]");
    }

    @Test
    void whatHasNoStatesOrNotByElementIsWhole() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new UpdateRows(new SgdUpdate(0, 0, false, 0, false), 0, 1))
                .withMessage("sgd_update cannot go row by row");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new UpdateRows(new AdafactorUpdate(1e-30, 0, false, false), 0, 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new UpdateRows(new LionUpdate(0.9, 0.99, 0, false), 2, 2))
                .withMessage("there are no rows from 2 to 2");
    }

    @Test
    void runningStatisticsOverwriteBoth() {
        assertThat(new RunningStatistics(0.1, Dim.of(4)).writes()).containsExactly(new Write(0, 0), new Write(1, 1));
    }

    @Test
    void anAccumulatorIsOfTheTypeOfWhatItAddsUp() {
        Update op = new Accumulate();
        assertThat(op.infer(List.of(f32(3), f32(3), i64()))).containsExactly(f32(3));
        assertThat(op.infer(List.of(i64(3), i64(3), i64()))).containsExactly(i64(3));
        assertThat(op.writes()).containsExactly(new Write(0, 0));
        assertThatThrownBy(() -> op.infer(List.of(f32(3), f32(4), i64())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("accumulate takes operands of one type, got f32[3] and f32[4]");
        assertThatThrownBy(() -> op.infer(List.of(f32(3), bf16(3), i64()))).isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> op.infer(List.of(bf16(3), bf16(3), i64())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("accumulate adds up f32, f64, i32 or i64, got bf16[3]");
        assertThatThrownBy(() -> op.infer(List.of(f32(3), f32(3), f32())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("accumulate wants a micro-batch of i64[], got f32[]");
        assertThatThrownBy(() -> op.infer(List.of(f32(3), f32(3)))).isInstanceOf(ShapeException.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ConditionalUpdate(op))
                .withMessage("accumulate cannot be conditional");
    }

    @Test
    void combinedStatisticsOverwriteBoth() {
        Update op = new CombineStatistics();
        assertThat(op.infer(List.of(f32(3), f32(3), f32(3), f32(3), i64()))).containsExactly(f32(3), f32(3));
        assertThat(op.writes()).containsExactly(new Write(0, 0), new Write(1, 1));
        assertThatThrownBy(() -> op.infer(List.of(f32(3), f32(3), f32(3), f32(4), i64())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("combine_statistics takes operands of one type, got f32[3] and f32[4]");
        assertThatThrownBy(() -> op.infer(List.of(bf16(3), bf16(3), bf16(3), bf16(3), i64())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("combine_statistics takes statistics in f32 or f64, got bf16[3]");
        assertThatThrownBy(() -> op.infer(List.of(f32(3), f32(3), f32(3), f32(3), i64(1))))
                .isInstanceOf(ShapeException.class)
                .hasMessage("combine_statistics wants a micro-batch of i64[], got i64[1]");
        assertThatIllegalArgumentException().isThrownBy(() -> new ConditionalUpdate(op));
    }
}
