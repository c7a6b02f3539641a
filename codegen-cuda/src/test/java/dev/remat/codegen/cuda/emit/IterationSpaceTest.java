package dev.remat.codegen.cuda.emit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import java.util.List;
import org.junit.jupiter.api.Test;

class IterationSpaceTest {
    private static StridedView dense(long... dims) {
        return StridedView.dense(Shape.of(dims));
    }

    private static IterationSpace over(long[] dims, StridedView... views) {
        return IterationSpace.of(dims, List.of(views));
    }

    @Test
    void denseTensorsAreOneRun() {
        IterationSpace space = over(new long[] {2, 3, 5}, dense(2, 3, 5), dense(2, 3, 5));
        assertThat(space.extents()).containsExactly(30L);
        assertThat(space.isDense(0)).isTrue();
        assertThat(space.isScalar(0)).isFalse();
    }

    @Test
    void aRowRepeatedOverBatchAndTimeLeavesTwoAxes() {
        IterationSpace space = over(new long[] {2, 3, 5}, dense(2, 3, 5), dense(1, 1, 5));
        assertThat(space.extents()).containsExactly(6L, 5L);
        assertThat(space.strides().get(1)).containsExactly(0L, 1L);
        assertThat(space.isDense(0)).isTrue();
        assertThat(space.isDense(1)).isFalse();
    }

    @Test
    void axesThatOneOperandWalksApartStayApart() {
        IterationSpace space =
                over(new long[] {4, 3, 5}, dense(4, 3, 5), dense(3, 4, 5).transpose(List.of(1, 0, 2)));
        assertThat(space.extents()).containsExactly(4L, 3L, 5L);
        assertThat(space.strides().get(1)).containsExactly(5L, 20L, 1L);
    }

    @Test
    void extentsOfOneVanish() {
        IterationSpace space = over(new long[] {1, 7, 1}, dense(1, 7, 1));
        assertThat(space.extents()).containsExactly(7L);
        IterationSpace scalar = over(new long[] {1, 1}, dense(1, 1));
        assertThat(scalar.rank()).isZero();
        assertThat(scalar.isScalar(0)).isTrue();
        assertThat(scalar.innermost()).isEqualTo(1);
    }

    @Test
    void offsetsBeyond31BitsNeedWideIndices() {
        assertThat(over(new long[] {1L << 20, 2047}, dense(1L << 20, 2047)).isNarrow())
                .isTrue();
        assertThat(over(new long[] {1L << 20, 2048}, dense(1L << 20, 2048)).isNarrow())
                .isFalse();
        StridedView apart = new StridedView(0, List.of(3L), List.of(1L << 30));
        assertThat(over(new long[] {3}, apart).isNarrow())
                .as("three elements, 2^30 apart")
                .isFalse();
    }
}
