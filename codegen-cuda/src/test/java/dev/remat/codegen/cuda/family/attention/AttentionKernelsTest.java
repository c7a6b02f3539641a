package dev.remat.codegen.cuda.family.attention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.emit.StepFixture;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttentionKernelsTest {
    /** Heads split from rows of {@code heads·depth} elements. */
    private static KernelProgram split(DType type, long queries, long heads, long depth) {
        TensorType each = TensorType.of(type, 2, heads, queries, depth);
        long row = heads * depth;
        StridedView view =
                new StridedView(0, List.of(2L, heads, queries, depth), List.of(queries * row, depth, row, 1L));
        StepFixture step = new StepFixture();
        Attention op = new Attention(0.125, true, false);
        var q = step.read(type, view, each.bytes());
        var k = step.read(type, view, each.bytes());
        var v = step.read(type, view, each.bytes());
        step.write(step.apply(op, op.infer(List.of(each, each, each)), q, k, v));
        return step.program(Architecture.SM_80, CodegenOptions.DEFAULT);
    }

    private static KernelSource kernel(KernelProgram program) {
        assertThat(program.launches()).hasSize(1);
        return program.kernels().getFirst();
    }

    @Test
    void tensorCoresAreTakenForSixteenBits() {
        KernelSource tensor = kernel(split(DType.BF16, 256, 12, 64));
        assertThat(tensor.symbol()).startsWith("attention_tensor_bf16_64x64_causal");
        assertThat(tensor.entry().verified()).isTrue();
        KernelSource plain = kernel(split(DType.F32, 256, 12, 64));
        assertThat(plain.symbol()).startsWith("attention_f32_w64_causal");
        assertThat(plain.entry().verified()).isTrue();
    }

    @Test
    void otherExtentsShareTheKernel() {
        var half = split(DType.BF16, 77, 16, 64).kernels();
        assertThat(split(DType.BF16, 1024, 12, 64).kernels()).isEqualTo(half);
        var single = split(DType.F32, 77, 16, 64).kernels();
        assertThat(split(DType.F32, 1024, 12, 20).kernels()).isEqualTo(single);
        assertThat(split(DType.F32, 77, 16, 65).kernels()).isNotEqualTo(single);
    }

    @Test
    void rowsOfNoWholeSixteenBytesAreReadByElement() {
        assertThat(kernel(split(DType.BF16, 100, 4, 60)).symbol()).contains("64x64_loose");
        assertThat(kernel(split(DType.BF16, 100, 4, 56)).symbol()).contains("64x64_causal");
    }

    @Test
    void sharedMemoryFitsEveryArchitecture() {
        for (long depth : new long[] {1, 64, 65, 128, 129, 256}) {
            AttentionShape shape = new AttentionShape(DType.BF16, 1, 1, 1, 9, 9, depth, depth);
            assertThat(AttentionTensorTile.forward(shape).forwardSharedBytes()).isLessThanOrEqualTo(99 << 10);
            if (AttentionTensorTile.computesGradient(shape)) {
                for (boolean keys : new boolean[] {false, true}) {
                    assertThat(AttentionTensorTile.gradient(shape, keys).gradientSharedBytes())
                            .isLessThanOrEqualTo(99 << 10);
                }
            }
        }
    }

    @Test
    void largeHeadsGoWithoutTensorCores() {
        AttentionShape large = new AttentionShape(DType.BF16, 1, 1, 1, 9, 9, 257, 8);
        assertThat(AttentionTensorTile.computesForward(large)).isFalse();
        AttentionShape medium = new AttentionShape(DType.BF16, 1, 1, 1, 9, 9, 8, 129);
        assertThat(AttentionTensorTile.computesForward(medium)).isTrue();
        assertThat(AttentionTensorTile.computesGradient(medium)).isFalse();
    }

    @Test
    void extentsBeyond31BitsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AttentionShape(DType.F32, 1, 1, 1, 1L << 31, 1, 1, 1))
                .withMessageContaining("2^31");
    }
}
