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
    private static final ElementwiseUpdate PLAIN = ElementwiseUpdate.of("sgd", 0, "[mul x2 g, sub p t0]", "[t1]");
    private static final ElementwiseUpdate MOVES =
            ElementwiseUpdate.of("sgd", 2, "[add x2 g, add x3 t0, mul x4 t1, sub p t2]", "[t3, t0, t1]");

    @Test
    void anUpdateWithoutStatesChangesTheParameterAlone() {
        assertThat(PLAIN.infer(List.of(f32(3), bf16(3), f32()))).containsExactly(f32(3));
        assertThat(PLAIN.writes()).containsExactly(new Write(0, 0));
        assertThat(PLAIN.flops(List.of(), List.of(f32(3)))).isEqualTo(2 * 3);
        assertThatThrownBy(() -> PLAIN.infer(List.of(f32(3), bf16(3))))
                .isInstanceOf(ShapeException.class)
                .hasMessage("update takes 3 operands, got 2");
        assertThatThrownBy(() -> PLAIN.infer(List.of(f32(3), bf16(4), f32())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("update wants a gradient of shape [3], got bf16[4]");
    }

    @Test
    void statesAreAsLargeAsTheParameter() {
        assertThat(MOVES.infer(List.of(f32(3), bf16(3), f32(3), f32(3), TensorType.scalar(DType.F64))))
                .containsExactly(f32(3), f32(3), f32(3));
        assertThat(MOVES.writes()).containsExactly(new Write(0, 0), new Write(2, 1), new Write(3, 2));
        assertThatThrownBy(() -> MOVES.infer(List.of(f32(3), bf16(3), f32(3), bf16(3), f32())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("update wants a state of f32[3], got bf16[3]");
    }

    @Test
    void othersAreScalarsOrRepeatToTheParameter() {
        assertThat(PLAIN.infer(List.of(f32(3, 4), f32(3, 4), f32(3, 1)))).containsExactly(f32(3, 4));
        assertThat(PLAIN.isByElement(List.of(f32(3), f32(3), f32()))).isTrue();
        assertThat(PLAIN.isByElement(List.of(f32(3), f32(3), f32(1)))).isFalse();
        assertThatThrownBy(() -> PLAIN.infer(List.of(f32(3), f32(3), f32(2))))
                .isInstanceOf(ShapeException.class)
                .hasMessage("update wants a tensor that repeats to [3], got f32[2]");
        assertThatThrownBy(() -> PLAIN.infer(List.of(f32(3), f32(3), i64())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("update wants scalars of f32 or f64, got i64[]");
    }

    @Test
    void aProgramIsOfKnownStepsInOrder() {
        assertThat(MOVES.program().readers()).containsExactly(2, 2, 1, 1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ElementwiseUpdate.of("late", 0, "[add p t0]", "[t0]"))
                .withMessageContaining("too late");
        assertThatIllegalArgumentException().isThrownBy(() -> ElementwiseUpdate.of("late", 0, "[neg p]", "[t1]"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ElementwiseUpdate.of("alone", 0, "[add p]", "[t0]"))
                .withMessage("add takes 2 terms, not [p]");
        assertThatIllegalArgumentException().isThrownBy(() -> ElementwiseUpdate.of("whole", 0, "[matmul p g]", "[t0]"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ElementwiseUpdate.of("few", 1, "[neg p]", "[t0]"))
                .withMessageContaining("have other results");
    }

    @Test
    void assignTakesAValueOfItsType() {
        assertThat(new Assign().infer(List.of(i64(), i64()))).containsExactly(i64());
        assertThat(new Assign().writes()).containsExactly(new Write(0, 0));
        assertThatThrownBy(() -> new Assign().infer(List.of(f32(3), bf16(3)))).isInstanceOf(ShapeException.class);
    }

    @Test
    void aConditionComesLast() {
        Update op = new ConditionalUpdate(PLAIN);
        TensorType flag = TensorType.scalar(DType.BOOL);
        assertThat(op.infer(List.of(f32(3), bf16(3), f32(), flag))).containsExactly(f32(3));
        assertThat(op.writes()).containsExactly(new Write(0, 0));
        assertThatThrownBy(() -> op.infer(List.of(f32(3), bf16(3), f32())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("update_if wants a flag of bool[], got f32[]");
        assertThatThrownBy(() -> op.infer(List.of(f32(3), bf16(4), f32(), flag)))
                .isInstanceOf(ShapeException.class)
                .hasMessageStartingWith("update wants a gradient");
        assertThatIllegalArgumentException().isThrownBy(() -> new ConditionalUpdate(op));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ConditionalUpdate(new RunningStatistics(0.1, Dim.of(4))));
    }

    @Test
    void someRowsHaveStatesOfTheirOwn() {
        UpdateRows op = new UpdateRows(MOVES, 1, 3);
        List<TensorType> operands = List.of(f32(5, 4), bf16(5, 4), f32(2, 4), f32(2, 4), f32());
        List<TensorType> results = op.infer(operands);
        assertThat(results).containsExactly(f32(5, 4), f32(2, 4), f32(2, 4));
        assertThat(op.writes()).containsExactly(new Write(0, 0), new Write(2, 1), new Write(3, 2));
        assertThat(op.flops(operands, results)).isEqualTo(4 * 8);
        // Three rows of the parameter, twice, and of the gradient.
        assertThat(op.bytesPassedOver(operands)).isEqualTo(2 * 3 * 16 + 3 * 8);
        assertThat(new ConditionalUpdate(op)
                        .bytesPassedOver(List.of(
                                f32(5, 4), bf16(5, 4), f32(2, 4), f32(2, 4), f32(), TensorType.scalar(DType.BOOL))))
                .isEqualTo(120);
        assertThatThrownBy(() -> op.infer(List.of(f32(5, 4), bf16(5, 4), f32(5, 4), f32(2, 4), f32())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("update wants a state of f32[2, 4], got f32[5, 4]");
        assertThatThrownBy(() -> op.infer(List.of(f32(2, 4), bf16(2, 4), f32(2, 4), f32(2, 4), f32())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("update_rows wants a parameter of 3 rows or more, got f32[2, 4]");
        assertThatThrownBy(() -> op.infer(List.of(f32(5, 4), bf16(2, 4), f32(2, 4), f32(2, 4), f32())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("update_rows wants a gradient of shape [5, 4], got bf16[2, 4]");
        assertThatThrownBy(() -> op.infer(List.of(f32(5, 4), f32(5, 4), f32(2, 4), f32(2, 4), f32(5, 1))))
                .isInstanceOf(ShapeException.class)
                .hasMessageStartingWith("update_rows reads scalars beside states");
    }

    @Test
    void whatHasNoStatesIsWhole() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new UpdateRows(PLAIN, 0, 1))
                .withMessage("update cannot go row by row");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new UpdateRows(MOVES, 2, 2))
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
