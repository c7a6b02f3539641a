package dev.remat.ir.op;

import static dev.remat.ir.op.Types.dims;
import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.infer;
import static dev.remat.ir.op.Types.shape;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import java.util.List;
import org.junit.jupiter.api.Test;

class ViewTest {
    @Test
    void reshapeKeepsTheNumberOfElements() {
        assertThat(infer(new Reshape(shape("B*T", 6)), f32("B", "T", 2, 3))).isEqualTo(f32("B*T", 6));
        assertThat(infer(new Reshape(Shape.SCALAR), f32(1, 1))).isEqualTo(f32());
        assertThatThrownBy(() -> infer(new Reshape(shape("B", 5)), f32("B", 2, 3)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("f32[B, 2, 3] with 6*B elements does not reshape to [B, 5] with 5*B");
    }

    @Test
    void broadcastRepeatsExtentOne() {
        assertThat(infer(new Broadcast(shape("B", 3)), f32(1, 3))).isEqualTo(f32("B", 3));
        assertThatThrownBy(() -> infer(new Broadcast(shape(4, 3)), f32(2, 3)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("broadcast wants an operand that repeats to [4, 3], got f32[2, 3]");
        assertThatThrownBy(() -> infer(new Broadcast(shape(4, 3)), f32(3))).isInstanceOf(ShapeException.class);
    }

    @Test
    void transposePermutes() {
        Transpose rotate = new Transpose(List.of(2, 0, 1));
        assertThat(infer(rotate, f32("A", "B", "C"))).isEqualTo(f32("C", "A", "B"));
        assertThat(rotate.inverse()).containsExactly(1, 2, 0);
        assertThatThrownBy(() -> infer(rotate, f32(2, 3))).isInstanceOf(ShapeException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> new Transpose(List.of(0, 0)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Transpose(List.of(0, 2)));
    }

    @Test
    void sliceStaysInside() {
        Slice tail = new Slice(dims("T", 0), dims("T", 3));
        assertThat(infer(tail, f32("2*T", 3))).isEqualTo(f32("T", 3));
        assertThatThrownBy(() -> infer(new Slice(dims("T", 0), dims("T+1", 3)), f32("2*T", 3)))
                .isInstanceOf(ShapeException.class)
                .hasMessage("slice from [T, 0] with sizes [T+1, 3] leaves f32[2*T, 3]");
        assertThatThrownBy(() -> infer(new Slice(dims("0-1"), dims(2)), f32(3))).isInstanceOf(ShapeException.class);
        assertThat(tail.bind(dim -> dim.isConstant() ? dim : Dim.of(4))).isEqualTo(new Slice(dims(4, 0), dims(4, 3)));
    }

    @Test
    void whatLosesNoElementHasAnInverse() {
        Shape before = Shape.of(4, 6, 5);
        StridedView dense = StridedView.dense(before);
        for (View view : List.of(new Transpose(List.of(2, 0, 1)), new Reshape(Shape.of(24, 5)), new StopGradient())) {
            StridedView seen = view.through(dense).orElseThrow();
            assertThat(view.inverse(before).orElseThrow().through(seen)).contains(dense);
        }
        assertThat(new Slice(dims(0, 0, 0), dims(4, 6, 4)).inverse(before)).isEmpty();
        assertThat(new Broadcast(Shape.of(4, 6, 5)).inverse(Shape.of(4, 1, 5))).isEmpty();
    }

    @Test
    void viewsFollowStrides() {
        StridedView dense = StridedView.dense(Shape.of(4, 6));
        StridedView box = new Slice(dims(1, 2), dims(2, 3)).through(dense).orElseThrow();
        assertThat(box).isEqualTo(new StridedView(8, List.of(2L, 3L), List.of(6L, 1L)));
        StridedView turned = new Transpose(List.of(1, 0)).through(box).orElseThrow();
        assertThat(turned).isEqualTo(new StridedView(8, List.of(3L, 2L), List.of(1L, 6L)));
        assertThat(new Reshape(Shape.of(6)).through(turned)).isEmpty();
        assertThat(new Reshape(Shape.of(3, 1, 2)).through(turned)).isPresent();
        StridedView row = StridedView.dense(Shape.of(1, 3));
        StridedView rows = new Broadcast(Shape.of(5, 3)).through(row).orElseThrow();
        assertThat(rows).isEqualTo(new StridedView(0, List.of(5L, 3L), List.of(0L, 1L)));
    }
}
