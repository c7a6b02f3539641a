package dev.remat.codegen.cuda.family.gemm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.emit.StepFixture;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Unary;
import java.util.List;
import org.junit.jupiter.api.Test;

class MatMulKernelTest {
    private static final Architecture ARCHITECTURE = Architecture.SM_80;

    private static KernelProgram product(MatMul op, TensorType a, TensorType b, boolean activated) {
        StepFixture step = new StepFixture();
        TensorType type = op.infer(List.of(a, b)).getFirst();
        var result = step.apply(op, type, step.read(a), step.read(b));
        if (activated) {
            result = step.apply(new Unary(Unary.Kind.RELU), type, result);
        }
        step.write(result);
        step.workspace(new CudaTarget(ARCHITECTURE).workspaceBytes(op, List.of(a, b), List.of(type)));
        return step.program(ARCHITECTURE, CodegenOptions.DEFAULT);
    }

    private static TensorType f32(long... dims) {
        return TensorType.of(DType.F32, dims);
    }

    @Test
    void otherExtentsShareTheKernel() {
        KernelProgram one = product(new MatMul(false, true), f32(4096, 1024), f32(2048, 1024), true);
        KernelProgram other = product(new MatMul(false, true), f32(8192, 512), f32(4096, 512), true);
        assertThat(one.kernels()).isEqualTo(other.kernels());
        assertThat(one.launches().getFirst().grid())
                .isNotEqualTo(other.launches().getFirst().grid());
    }

    @Test
    void anotherOrderOfAxesIsAnotherKernel() {
        KernelProgram one = product(new MatMul(false, true), f32(4096, 1024), f32(2048, 1024), true);
        KernelProgram other = product(new MatMul(false, false), f32(4096, 1024), f32(1024, 2048), true);
        assertThat(one.kernels()).isNotEqualTo(other.kernels());
    }

    @Test
    void oddRowsAreReadElementByElement() {
        KernelSource odd = product(new MatMul(false, false), f32(40, 33), f32(33, 35), false)
                .kernels()
                .getFirst();
        KernelSource even = product(new MatMul(false, false), f32(40, 32), f32(32, 36), false)
                .kernels()
                .getFirst();
        assertThat(odd.text()).contains("DenseOperand<float, 1, true>", "DenseOperand<float, 1, false>");
        assertThat(even.text()).contains("DenseOperand<float, 4, true>", "DenseOperand<float, 4, false>");
    }

    @Test
    void aTallSumTakesTwoLaunchesAndTheEpilogueIsInTheSecond() {
        KernelProgram program = product(new MatMul(true, false), f32(8192, 64), f32(8192, 64), true);
        assertThat(program.launches()).extracting(Launch::step).containsExactly(0, 0);
        assertThat(program.kernels())
                .extracting(kernel -> kernel.entry().family())
                .containsExactly("gemm_plain", "split_k");
        assertThat(program.kernels().getFirst().text()).doesNotContain("relu");
        assertThat(program.kernels().getLast().text()).contains("relu");
    }

    @Test
    void aMatrixThatMultipliesEveryRowIsOneProduct() {
        MatMul op = new MatMul(false, false);
        TensorType b = f32(16, 24);
        assertThat(new MatMulKernel(op).problem(f32(3, 5, 7, 16), b, f32(3, 5, 7, 24)))
                .isEqualTo(new GemmProblem(DType.F32, 1, 105, 24, 16));
    }

    @Test
    void matricesOfABatchAreProductsOfTheirOwn() {
        MatMul op = new MatMul(true, true);
        assertThat(new MatMulKernel(op).problem(f32(3, 5, 16, 7), f32(3, 5, 24, 16), f32(3, 5, 7, 24)))
                .isEqualTo(new GemmProblem(DType.F32, 15, 7, 24, 16));
    }

    @Test
    void sixteenBitsGoToTensorCoresAndFloatsDoNot() {
        MatMul op = new MatMul(false, false);
        TensorType narrow = TensorType.of(DType.BF16, 256, 256);
        assertThat(product(op, narrow, narrow, false).kernels())
                .noneMatch(kernel -> kernel.entry().family().equals("gemm_plain"));
        TensorType single = f32(256, 256);
        assertThat(product(op, single, single, false).kernels())
                .anyMatch(kernel -> kernel.entry().family().equals("gemm_plain"));
    }
}
