package dev.remat.codegen.cuda.family.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import org.junit.jupiter.api.Test;

class PlaneTilingTest {
    @Test
    void smallImagesShareABlock() {
        PlaneTiling tiling = PlaneTiling.of(TensorType.of(DType.F32, 4, 50, 7, 7), 1024);
        assertThat(tiling.tileWidth()).isEqualTo(7);
        assertThat(tiling.tileHeight()).isEqualTo(7);
        assertThat(tiling.tilePlanes()).isEqualTo(20);
        assertThat(tiling.blocks()).isEqualTo(10);
    }

    @Test
    void longRowsAreCutEvenly() {
        PlaneTiling tiling = PlaneTiling.of(TensorType.of(DType.F32, 1, 3, 20, 260), 1024);
        assertThat(tiling.tileWidth()).isEqualTo(87);
        assertThat(tiling.tileHeight()).isEqualTo(10);
        assertThat(tiling.tilePlanes()).isEqualTo(1);
        assertThat(tiling.blocks()).isEqualTo(3 * 2 * 3);
    }

    @Test
    void boxesCoverEveryPixelAndFitABlock() {
        for (int height = 1; height < 200; height += 13) {
            for (int width = 1; width < 1500; width += 37) {
                PlaneTiling tiling = PlaneTiling.of(TensorType.of(DType.BF16, 3, 5, height, width), 1024);
                long box = tiling.tilePlanes() * tiling.tileHeight() * tiling.tileWidth();
                assertThat(box).isLessThanOrEqualTo(1024);
                assertThat(tiling.blocks() * box).isGreaterThanOrEqualTo(15L * height * width);
            }
        }
    }

    @Test
    void imagesBeyond32BitsAreRefused() {
        TensorType huge = TensorType.of(DType.BF16, 1, 1, 65536, 65536);
        assertThatThrownBy(() -> PlaneTiling.of(huge, 1024)).hasMessageContaining("65536 x 65536");
    }

    @Test
    void countsTheWindowsThatReachIntoABox() {
        for (int kernel = 1; kernel < 9; kernel++) {
            for (int stride = 1; stride < 6; stride++) {
                for (int extent = 1; extent < 12; extent++) {
                    assertThat(PoolingKernels.reaching(extent, kernel, stride))
                            .isEqualTo(mostWindows(extent, kernel, stride));
                }
            }
        }
    }

    private static int mostWindows(int extent, int kernel, int stride) {
        int most = 0;
        for (int first = 0; first < stride; first++) {
            int count = 0;
            for (int window = -20; window < 40; window++) {
                boolean reaches = window * stride < first + extent && window * stride + kernel > first;
                count += reaches ? 1 : 0;
            }
            most = Math.max(most, count);
        }
        return most;
    }
}
