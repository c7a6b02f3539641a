package dev.remat.codegen.cuda.family.conv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.codegen.cuda.emit.OpTypes;
import dev.remat.codegen.cuda.family.gemm.GemmProblem;
import dev.remat.codegen.cuda.family.gemm.TileModel;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.ConvTranspose2d;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConvShapeTest {
    private static ConvShape shape(ConvGeometry geometry, TensorType x, TensorType w) {
        return ConvShape.of(x, w, new Conv2d(geometry).infer(List.of(x, w)).getFirst(), geometry);
    }

    private static TensorType tensor(long... extents) {
        return TensorType.of(DType.F32, extents);
    }

    @Test
    void onlyWhatNeedsNoNeighboursIsWhole() {
        TensorType x = tensor(2, 8, 9, 9);
        TensorType one = tensor(4, 8, 1, 1);
        assertThat(grid(new ConvGeometry(1, 1, 0, 0, 1, 1, 1), x, one).isWhole())
                .isTrue();
        assertThat(grid(new ConvGeometry(2, 2, 0, 0, 1, 1, 1), x, one).isWhole())
                .isFalse();
        assertThat(grid(new ConvGeometry(1, 1, 1, 1, 1, 1, 1), x, one).isWhole())
                .isFalse();
        assertThat(grid(new ConvGeometry(1, 1, 0, 0, 1, 1, 1), x, tensor(4, 8, 3, 3))
                        .isWhole())
                .isFalse();
    }

    private static ConvGrid grid(ConvGeometry geometry, TensorType x, TensorType w) {
        return ConvGrid.forward(shape(geometry, x, w));
    }

    @Test
    void onlyShortElementsThatAreGatheredOftenAreCopied() {
        ConvGeometry geometry = new ConvGeometry(1, 1, 1, 1, 1, 1, 1);
        TensorType x = TensorType.of(DType.BF16, 2, 16, 9, 9);
        TensorType w = TensorType.of(DType.BF16, 4, 16, 3, 3);
        assertThat(isCopied(geometry, x, w)).isTrue();
        assertThat(isCopied(geometry, tensor(2, 16, 9, 9), tensor(4, 16, 3, 3))).isFalse();
        assertThat(isCopied(new ConvGeometry(2, 2, 1, 1, 1, 1, 1), x, w)).isFalse();
        TensorType odd = TensorType.of(DType.BF16, 2, 12, 9, 9);
        assertThat(isCopied(geometry, odd, TensorType.of(DType.BF16, 4, 12, 3, 3)))
                .isFalse();
    }

    @Test
    void wholeImagesAreCopiedOnlyWhereTheyHaveNoNeighboursToReadAtOnce() {
        ConvGeometry geometry = new ConvGeometry(1, 1, 0, 0, 1, 1, 1);
        TensorType w = TensorType.of(DType.BF16, 512, 16, 1, 1);
        assertThat(isCopied(geometry, TensorType.of(DType.BF16, 2, 16, 7, 7), w))
                .isTrue();
        assertThat(isCopied(geometry, TensorType.of(DType.BF16, 2, 16, 14, 14), w))
                .isFalse();
    }

    private static boolean isCopied(ConvGeometry geometry, TensorType x, TensorType w) {
        return ForwardConvolution.images(shape(geometry, x, w)).channelsLast();
    }

    @Test
    void onlyGroupsOfOneInputAndFewOutputsAreDepthwise() {
        TensorType x = tensor(2, 8, 9, 9);
        ConvGeometry eight = new ConvGeometry(1, 1, 1, 1, 1, 1, 8);
        assertThat(DepthwiseKernels.suit(shape(eight, x, tensor(16, 1, 3, 3)))).isTrue();
        assertThat(DepthwiseKernels.suit(shape(eight, x, tensor(64, 1, 3, 3)))).isFalse();
        ConvGeometry four = new ConvGeometry(1, 1, 1, 1, 1, 1, 4);
        assertThat(DepthwiseKernels.suit(shape(four, x, tensor(8, 2, 3, 3)))).isFalse();
    }

    @Test
    void sumsOverFewPositionsAreNotSplit() {
        ConvGeometry geometry = new ConvGeometry(1, 1, 1, 1, 1, 1, 8);
        ConvShape small = shape(geometry, tensor(2, 8, 9, 9), tensor(8, 1, 3, 3));
        ConvShape large = shape(geometry, tensor(64, 8, 56, 56), tensor(8, 1, 3, 3));
        assertThat(new DepthwiseWeights(small).workspaceBytes()).isZero();
        // 64 · 56 · 56 positions give 98 blocks of 2048 a channel, all of them wanted.
        assertThat(new DepthwiseWeights(large).workspaceBytes()).isEqualTo(98 * 8 * 9 * 4);
    }

    @Test
    void neighboursAreComputedTogetherWhereTheyShareInputs() {
        TensorType w = tensor(8, 1, 3, 3);
        assertThat(neighbours(1, 1, tensor(2, 8, 10, 12), w)).isEqualTo(4);
        assertThat(neighbours(2, 1, tensor(2, 8, 10, 12), w)).isEqualTo(2);
        assertThat(neighbours(1, 1, tensor(2, 8, 10, 7), w)).isEqualTo(1);
        assertThat(neighbours(3, 1, tensor(2, 8, 10, 12), w)).isEqualTo(1);
        assertThat(neighbours(1, 2, tensor(2, 8, 10, 14), w)).isEqualTo(1);
        assertThat(neighbours(1, 1, tensor(2, 8, 10, 12), tensor(8, 1, 2, 3))).isEqualTo(1);
    }

    private static int neighbours(int stride, int dilation, TensorType x, TensorType w) {
        ConvGeometry geometry = new ConvGeometry(stride, stride, 1, 1, dilation, dilation, 8);
        return new DepthwiseShape(shape(geometry, x, w)).neighbours();
    }

    @Test
    void kernelsAreLaidOutAnewUnlessTheyHaveOneElement() {
        ConvGeometry geometry = new ConvGeometry(1, 1, 0, 0, 1, 1, 1);
        TensorType y = tensor(1, 512, 7, 7);
        TensorType wide = tensor(512, 512, 3, 3);
        TensorType one = tensor(512, 512, 1, 1);
        assertThat(transposedBytes(new ConvTranspose2d(geometry, Dim.of(9), Dim.of(9)), y, wide))
                .isGreaterThanOrEqualTo(wide.bytes());
        long products = TileModel.workspaceBytes(Architecture.SM_80, new GemmProblem(DType.F32, 1, 512, 49, 512));
        assertThat(transposedBytes(new ConvTranspose2d(geometry, Dim.of(7), Dim.of(7)), y, one))
                .isEqualTo(products);
    }

    private static long transposedBytes(ConvTranspose2d op, TensorType y, TensorType w) {
        List<TensorType> operands = List.of(y, w);
        return new ConvolutionKernel.Transposed(op)
                .workspaceBytes(new OpTypes(Architecture.SM_80, operands, op.infer(operands)));
    }

    @Test
    void hugeImagesAreRefused() {
        ConvGeometry geometry = new ConvGeometry(1, 1, 0, 0, 1, 1, 1);
        assertThatThrownBy(() -> shape(geometry, tensor(1, 1024, 1024, 2048), tensor(8, 1024, 1, 1)))
                .hasMessageContaining("1024 x 1024 x 2048");
    }
}
