package dev.remat.codegen.cuda.family.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.StepFixture;
import dev.remat.codegen.cuda.family.reduce.ReduceKernel;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Unary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which kernels reductions, rows, normalizations and updates become. */
class RowKernelsTest {
    private static TensorType type(DType dtype, long... dims) {
        return TensorType.of(dtype, dims);
    }

    private static KernelProgram lower(Op op, int stored, TensorType... operands) {
        StepFixture step = new StepFixture();
        List<Operand> read = new ArrayList<>();
        for (TensorType operand : operands) {
            read.add(step.read(operand));
        }
        List<TensorType> results = op.infer(List.of(operands));
        step.apply(op, results, read.toArray(new Operand[0]));
        for (int i = 0; i < stored; i++) {
            step.write(new Operand.FromInstruction(0, i));
        }
        step.workspace(new CudaTarget(Architecture.SM_80).workspaceBytes(op, List.of(operands), results));
        return step.program();
    }

    private static List<String> families(KernelProgram program) {
        return program.launches().stream()
                .map(l -> program.kernels().get(l.kernel()).entry().family())
                .toList();
    }

    private static KernelProgram gradient(NormalizeGradient op, long[] dims, long[] statistics, long... gamma) {
        TensorType x = type(DType.BF16, dims);
        TensorType statistic = type(DType.F32, statistics);
        return lower(op, 3, x, x, statistic, statistic, type(DType.F32, gamma));
    }

    private static NormalizeGradient over(Integer... axes) {
        return new NormalizeGradient(List.of(axes), 1e-5, true, true, true);
    }

    @Test
    void aSumOfRowsIsOneKernel() throws IOException {
        Path file = Path.of("src/test/resources/dev/remat/codegen/cuda/golden", "relu_sum_of_rows_bf16.cu");
        TensorType x = type(DType.BF16, 24, 96);
        StepFixture step = new StepFixture();
        Operand relu = step.apply(new Unary(Unary.Kind.RELU), x, step.read(x));
        step.write(step.apply(new Reduce(Reduce.Kind.SUM, List.of(1)), type(DType.BF16, 24, 1), relu));
        KernelProgram program = step.program();
        assertThat(program.kernels()).hasSize(1);
        String text = program.kernels().getFirst().text();
        if (Boolean.getBoolean("bless")) {
            Files.writeString(file, text);
        }
        assertThat(text).isEqualTo(Files.readString(file, StandardCharsets.UTF_8));
    }

    @Test
    void aReductionIsTheSameWhateverComesBefore() {
        TensorType x = type(DType.F32, 4096, 768);
        Reduce sum = new Reduce(Reduce.Kind.SUM, List.of(0));
        StepFixture fused = new StepFixture();
        Operand doubled = fused.apply(new Unary(Unary.Kind.NEG), x, fused.read(x));
        fused.write(fused.apply(sum, type(DType.F32, 1, 768), doubled));
        fused.workspace(new ReduceKernel(sum).workspaceBytes(x));
        KernelProgram alone = lower(sum, 1, x);
        assertThat(fused.program().launches()).hasSize(2);
        for (int i = 0; i < 2; i++) {
            assertThat(fused.program().launches().get(i).grid())
                    .isEqualTo(alone.launches().get(i).grid());
        }
    }

    @Test
    void otherExtentsShareTheKernels() {
        Reduce sum = new Reduce(Reduce.Kind.SUM, List.of(0));
        KernelProgram small = lower(sum, 1, type(DType.BF16, 4096, 768));
        KernelProgram large = lower(sum, 1, type(DType.BF16, 65536, 3072));
        assertThat(large.kernels()).isEqualTo(small.kernels());
        assertThat(large.launches()).isNotEqualTo(small.launches());
        assertThat(lower(sum, 1, type(DType.BF16, 4096, 769)).kernels())
                .as("odd rows")
                .isNotEqualTo(small.kernels());
    }

    @Test
    void aPlanWithoutTheWorkspaceIsRefused() {
        TensorType x = type(DType.F32, 1 << 20);
        StepFixture step = new StepFixture();
        step.write(step.apply(new Reduce(Reduce.Kind.SUM, List.of(0)), type(DType.F32, 1), step.read(x)));
        assertThatIllegalStateException().isThrownBy(step::program).withMessageContaining("workspace");
    }

    @Test
    void longRowsAreStreamedAndShortOnesHeld() {
        assertThat(lower(new Softmax(), 1, type(DType.BF16, 64, 4096))
                        .kernels()
                        .getFirst()
                        .text())
                .contains("softmax_held<8, 2, 256, false, true>");
        assertThat(lower(new Softmax(), 1, type(DType.BF16, 64, 4104))
                        .kernels()
                        .getFirst()
                        .text())
                .contains("softmax_streamed<8, false, true>");
        assertThat(lower(new Softmax(), 1, type(DType.F32, 64, 10))
                        .kernels()
                        .getFirst()
                        .text())
                .contains("softmax_held<2, 8, 4, false, true>");
    }

    @Test
    void rowsThatBeginAtOddAddressesAreReadOneByOne() {
        StepFixture step = new StepFixture();
        Operand x = step.read(DType.F32, new StridedView(3, List.of(8L, 16L), List.of(16L, 1L)), 1024);
        step.write(step.apply(new Softmax(), type(DType.F32, 8, 16), x));
        assertThat(step.program().kernels().getFirst().text()).contains("softmax_held<4, 4, 4, false, false>");
    }

    @Test
    void statisticsNobodyReadsAreNull() {
        NormStatistics op = new NormStatistics(List.of(1), true);
        KernelProgram mean = lower(op, 1, type(DType.F32, 64, 512));
        KernelProgram both = lower(op, 2, type(DType.F32, 64, 512));
        assertThat(mean.kernels()).isEqualTo(both.kernels());
        assertThat(mean.launches().getFirst().arguments()).contains(ParameterType.NULL);
        assertThat(both.launches().getFirst().arguments()).doesNotContain(ParameterType.NULL);
    }

    @Test
    void innerAxesAreALayerAndChannelsABatch() {
        long[] layer = {64, 128, 768};
        assertThat(families(gradient(over(2), layer, new long[] {64, 128, 1}, 1, 1, 768)))
                .containsOnly("layer_gradient");
        long[] image = {32, 64, 28, 28};
        assertThat(families(gradient(over(0, 2, 3), image, new long[] {1, 64, 1, 1}, 1, 64, 1, 1)))
                .containsExactly("normalization", "normalization", "elementwise");
        long[] group = {32, 8, 8, 28, 28};
        assertThat(families(gradient(over(2, 3, 4), group, new long[] {32, 8, 1, 1, 1}, 1, 8, 8, 1, 1)))
                .contains("reduce", "elementwise")
                .doesNotContain("layer_gradient", "normalization");
    }

    /** The sums of channels are in the same order, in as many blocks, and no launch is added. */
    @Test
    void aGradientOfChannelsIsTheSameWhateverLeadsToIt() {
        TensorType x = type(DType.BF16, 32, 28, 28, 64);
        TensorType statistic = type(DType.F32, 1, 1, 1, 64);
        NormalizeGradient op = over(0, 1, 2);
        KernelProgram alone = lower(op, 3, x, x, statistic, statistic, statistic);
        StepFixture step = new StepFixture();
        Operand masked = step.apply(new Unary(Unary.Kind.RELU), x, step.read(x));
        List<TensorType> operands = List.of(x, x, statistic, statistic, statistic);
        List<Operand> read = new ArrayList<>(List.of(masked));
        operands.subList(1, 5).forEach(operand -> read.add(step.read(operand)));
        step.apply(op, op.infer(operands), read.toArray(new Operand[0]));
        for (int i = 0; i < 3; i++) {
            step.write(new Operand.FromInstruction(1, i));
        }
        CudaTarget target = new CudaTarget(Architecture.SM_80);
        step.workspace(target.workspaceBytes(op, operands, op.infer(operands)));
        KernelProgram fused = step.program();
        assertThat(families(fused)).isEqualTo(families(alone));
        assertThat(fused.launches().getFirst().grid())
                .isEqualTo(alone.launches().getFirst().grid());
        assertThat(target.fusesPrologue(op, operands)).isTrue();
        assertThat(target.fusesPrologue(
                        over(3),
                        List.of(x, x, type(DType.F32, 32, 28, 28, 1), type(DType.F32, 32, 28, 28, 1), statistic)))
                .as("rows, which threads hold")
                .isFalse();
    }

    @Test
    void aLayerTooWideForABlockIsComposed() {
        assertThat(families(gradient(over(1), new long[] {16, 8192}, new long[] {16, 1}, 1, 8192)))
                .containsOnly("layer_gradient");
        assertThat(families(gradient(over(1), new long[] {16, 8200}, new long[] {16, 1}, 1, 8200)))
                .doesNotContain("layer_gradient");
    }

    @Test
    void layersOfLikeWidthShareTheKernel() {
        KernelProgram one = gradient(over(1), new long[] {4096, 768}, new long[] {4096, 1}, 1, 768);
        KernelProgram other = gradient(over(1), new long[] {8192, 640}, new long[] {8192, 1}, 1, 640);
        assertThat(other.kernels()).isEqualTo(one.kernels());
    }

    @Test
    void smoothingNeedsTheSumOfARow() {
        TensorType logits = type(DType.F32, 32, 100);
        TensorType targets = type(DType.I64, 32);
        assertThat(lower(new CrossEntropy(0.1, -100), 2, logits, targets)
                        .kernels()
                        .getFirst()
                        .text())
                .contains("cross_entropy<4, 4, true, true>");
        assertThat(lower(new CrossEntropy(0, -100), 2, logits, targets)
                        .kernels()
                        .getFirst()
                        .text())
                .contains("cross_entropy<4, 4, false, true>");
    }

    @Test
    void ratesAndDecaysAreArguments() {
        TensorType p = type(DType.F32, 1000);
        TensorType scalar = type(DType.F32);
        TensorType[] operands = {p, p, p, scalar};
        KernelProgram one = lower(decaying(0.9, 0.1), 2, operands);
        KernelProgram other = lower(decaying(0.8, 0.2), 2, operands);
        assertThat(other.kernels()).isEqualTo(one.kernels());
        assertThat(other.launches()).isNotEqualTo(one.launches());
    }

    private static ElementwiseUpdate decaying(double kept, double added) {
        return ElementwiseUpdate.of(
                "test", 1, "[mul " + kept + " x2, mul " + added + " g, add t0 t1, mul x3 t2, sub p t3]", "[t4, t2]");
    }

    @Test
    void anUpdateByAGradientAtAnOddAddressGoesOneByOne() {
        StepFixture step = new StepFixture();
        Operand p = step.read(type(DType.F32, 64));
        Operand g = step.read(DType.F32, new StridedView(1, List.of(64L), List.of(1L)), 512);
        step.write(step.apply(
                ElementwiseUpdate.of("sgd", 0, "[mul x2 g, sub p t0]", "[t1]"),
                type(DType.F32, 64),
                p,
                g,
                step.read(type(DType.F32))));
        assertThat(step.program().kernels().getFirst().text()).contains("update_all<1>");
        assertThat(lower(
                                ElementwiseUpdate.of("sgd", 0, "[mul x2 g, sub p t0]", "[t1]"),
                                1,
                                type(DType.F32, 64),
                                type(DType.F32, 64),
                                type(DType.F32))
                        .kernels()
                        .getFirst()
                        .text())
                .contains("update_all<4>");
    }
}
