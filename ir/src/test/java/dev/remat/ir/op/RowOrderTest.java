package dev.remat.ir.op;

import static dev.remat.ir.op.Types.bf16;
import static dev.remat.ir.op.Types.bool;
import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.flops;
import static dev.remat.ir.op.Types.i64;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowOrderTest {
    @Test
    void sortingGivesNumbersAndWhereTheyStood() {
        assertThat(new Sort(true).infer(List.of(bf16("B", 5))))
                .containsExactly(bf16("B", 5), Types.of(DType.I32, "B", 5));
        assertThat(new Sort(false).infer(List.of(i64(5)))).containsExactly(i64(5), Types.of(DType.I32, 5));
        assertThatThrownBy(() -> new Sort(false).infer(List.of(bool(5)))).isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> new Sort(false).infer(List.of(f32())))
                .isInstanceOf(ShapeException.class)
                .hasMessage("sort runs over the last axis, and f32[] has none");
        assertThat(flops(new Sort(false), f32(3, 8))).isEqualTo(3 * 8 * 4);
    }

    @Test
    void runningSumsKeepTheType() {
        assertThat(infer(new CumulativeSum(false), i64("B", 5))).isEqualTo(i64("B", 5));
        assertThatThrownBy(() -> infer(new CumulativeSum(false), bool(5))).isInstanceOf(ShapeException.class);
        assertThatThrownBy(() -> infer(new CumulativeSum(true), f32())).isInstanceOf(ShapeException.class);
    }

    @Test
    void reductionsTakeTheNumbersThatTheyCan() {
        assertThat(infer(new Reduce(Reduce.Kind.MIN, List.of(1)), i64("B", 5))).isEqualTo(i64("B", 1));
        assertThat(infer(new Reduce(Reduce.Kind.PROD, List.of(1)), f32("B", 5))).isEqualTo(f32("B", 1));
        assertThatThrownBy(() -> infer(new Reduce(Reduce.Kind.PROD, List.of(1)), i64("B", 5)))
                .isInstanceOf(ShapeException.class);
    }
}
