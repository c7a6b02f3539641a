package dev.remat.ir.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.util.List;
import org.junit.jupiter.api.Test;

class ImageLayoutTest {
    private static final TensorType PLANES = TensorType.of(DType.F32, 2, 3, 4, 5);
    private static final TensorType LAST = TensorType.of(DType.F32, 2, 4, 5, 3);

    @Test
    void saysWhichAxisIsWhich() {
        assertThat(ImageLayout.NHWC.channels(LAST)).isEqualTo(Dim.of(3));
        assertThat(ImageLayout.NHWC.height(LAST)).isEqualTo(Dim.of(4));
        assertThat(ImageLayout.NHWC.width(LAST)).isEqualTo(Dim.of(5));
        assertThat(ImageLayout.NHWC.shape(Dim.of(2), Dim.of(3), Dim.of(4), Dim.of(5)))
                .isEqualTo(LAST.shape());
        assertThat(ImageLayout.NCHW.shape(Dim.of(2), Dim.of(3), Dim.of(4), Dim.of(5)))
                .isEqualTo(PLANES.shape());
    }

    @Test
    void turnsWhatBelongsToAxes() {
        assertThat(ImageLayout.NHWC.reorder(List.of(2, 3, 4, 5))).containsExactly(2, 4, 5, 3);
        assertThat(ImageLayout.NCHW.reorder(List.of(2, 3, 4, 5))).containsExactly(2, 3, 4, 5);
        assertThat(ImageLayout.NHWC.fromPlanes().infer(List.of(PLANES))).containsExactly(LAST);
        assertThat(new Transpose(ImageLayout.NHWC.fromPlanes().inverse()).infer(List.of(LAST)))
                .containsExactly(PLANES);
        assertThatIllegalArgumentException().isThrownBy(() -> ImageLayout.NHWC.axis(4));
    }
}
