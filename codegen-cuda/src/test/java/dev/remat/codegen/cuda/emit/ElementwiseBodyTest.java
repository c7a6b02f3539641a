package dev.remat.codegen.cuda.emit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.Draw;
import dev.remat.ir.op.DrawnRows;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.DropoutGradient;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Unary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The text of fused bodies; {@code -Dbless=true} writes the expected kernels anew. */
class ElementwiseBodyTest {
    private static void golden(String name, KernelProgram program) throws IOException {
        Path file = Path.of("src/test/resources/dev/remat/codegen/cuda/golden", name + ".cu");
        String text = String.join(
                "\n", program.kernels().stream().map(kernel -> kernel.text()).toList());
        if (Boolean.getBoolean("bless")) {
            Files.writeString(file, text);
        }
        assertThat(text).isEqualTo(Files.readString(file, StandardCharsets.UTF_8));
    }

    private static KernelProgram biasDropoutResidual(DType dtype, long rows, long width) {
        TensorType type = TensorType.of(dtype, rows, width);
        StepFixture step = new StepFixture();
        Operand x = step.read(type);
        Operand bias = step.read(
                dtype, StridedView.dense(Shape.of(1, width)).broadcast(List.of(rows, width)), width * dtype.bytes());
        Operand residual = step.read(type);
        Operand sum = step.apply(new Binary(Binary.Kind.ADD), type, x, bias);
        Operand dropped = step.apply(new Dropout(0.1, 3), type, sum, new Operand.FromSeed(3));
        step.write(step.apply(new Binary(Binary.Kind.ADD), type, dropped, residual));
        return step.program();
    }

    /** Dropout and noise, both for a piece of a larger tensor. */
    private static KernelProgram noisyDropout(DType dtype, long rows, long block, int pieces) {
        TensorType type = TensorType.of(dtype, rows, block);
        Optional<DrawnRows> drawn = Optional.of(new DrawnRows(Dim.of(block), pieces));
        StepFixture step = new StepFixture();
        Operand x = step.read(type);
        Operand dropped = step.apply(new Dropout(0.1, 3, drawn), type, x, new Operand.FromSeed(3));
        Op normal = new Draw(Draw.Kind.NORMAL, 0, 4, type, drawn);
        Operand noise = step.apply(normal, type, new Operand.FromSeed(4));
        step.write(step.apply(new Binary(Binary.Kind.ADD), type, dropped, noise));
        return step.program();
    }

    private static KernelProgram copy(StridedView view) {
        TensorType type = TensorType.of(
                DType.F32, view.extents().stream().mapToLong(Long::longValue).toArray());
        StepFixture step = new StepFixture();
        Operand x = step.read(DType.F32, view, 1 << 20);
        step.write(step.apply(new Contiguous(), type, x));
        return step.program();
    }

    @Test
    void everyResultIsRoundedAndNeighboursMoveTogether() throws IOException {
        golden("bias_dropout_residual_bf16", biasDropoutResidual(DType.BF16, 6, 40));
    }

    /** Channels last, with statistics and factors of each. */
    private static KernelProgram normalizedByChannels(long rows, long channels, boolean byRows) {
        TensorType type = TensorType.of(DType.BF16, rows, channels);
        StepFixture step = new StepFixture();
        Operand x = step.read(type);
        Shape each = byRows ? Shape.of(rows, 1) : Shape.of(1, channels);
        Supplier<Operand> vector = () -> step.read(
                DType.F32,
                StridedView.dense(each).broadcast(List.of(rows, channels)),
                (byRows ? rows : channels) * DType.F32.bytes());
        Op normalize = new Normalize(List.of(byRows ? 1 : 0), 1e-5, true, true, true);
        step.write(step.apply(normalize, type, x, vector.get(), vector.get(), vector.get(), vector.get()));
        return step.program();
    }

    @Test
    void whatDependsOnColumnsAloneIsLoadedAndComputedOnce() throws IOException {
        golden("normalized_by_channels", normalizedByChannels(6, 40, false));
        assertThat(normalizedByChannels(4096, 64, false).kernels())
                .isEqualTo(normalizedByChannels(6, 40, false).kernels());
        for (KernelProgram other : List.of(normalizedByChannels(6, 40, true), normalizedByChannels(6, 42, false))) {
            assertThat(other.kernels())
                    .singleElement()
                    .satisfies(kernel -> assertThat(kernel.text()).doesNotContain("Columns"));
        }
    }

    @Test
    void everyThreadHasARowsGroupsAtLeast() {
        for (long rows : new long[] {3, 64, 1 << 20}) {
            for (long channels : new long[] {8, 64, 4096, 100_000}) {
                Launch launch =
                        normalizedByChannels(rows, channels, false).launches().getFirst();
                assertThat(launch.grid().x() * 256L).isGreaterThanOrEqualTo(channels / 8);
                assertThat((long) launch.grid().x()).isLessThanOrEqualTo(Math.ceilDiv(rows * channels / 8, 256L));
            }
        }
    }

    @Test
    void slicesWithOddRowsAreReadOneByOne() throws IOException {
        golden("slice_of_odd_rows", copy(new StridedView(3, List.of(4L, 8L), List.of(9L, 1L))));
    }

    @Test
    void otherExtentsShareTheKernel() {
        KernelProgram small = biasDropoutResidual(DType.F32, 6, 40);
        KernelProgram large = biasDropoutResidual(DType.F32, 1024, 768);
        assertThat(large.kernels()).isEqualTo(small.kernels());
        assertThat(large.launches()).isNotEqualTo(small.launches());
    }

    @Test
    void piecesDrawByTheirElementsInTheWhole() throws IOException {
        golden("noisy_dropout_of_a_piece", noisyDropout(DType.F32, 6, 40, 2));
        golden("noisy_dropout_of_a_piece_in_odd_blocks", noisyDropout(DType.F32, 4, 7, 2));
    }

    @Test
    void otherBlocksShareTheKernelAsLongAsWordsDo() {
        KernelProgram small = noisyDropout(DType.F32, 6, 40, 2);
        KernelProgram large = noisyDropout(DType.F32, 1024, 768, 8);
        assertThat(large.kernels()).isEqualTo(small.kernels());
        assertThat(large.launches()).isNotEqualTo(small.launches());
        assertThat(noisyDropout(DType.F32, 8, 30, 2).kernels()).isNotEqualTo(small.kernels());
    }

    /** Draws of two micro-batches at one ordinal, as where one graph holds both. */
    private static KernelProgram twoPieces(int first, int second) {
        TensorType type = TensorType.of(DType.F32, 6, 40);
        DrawnRows rows = new DrawnRows(Dim.of(40), 4);
        StepFixture step = new StepFixture();
        Operand x = step.read(type);
        Operand one =
                step.apply(new Dropout(0.1, 3, Optional.of(rows.withPiece(first))), type, x, new Operand.FromSeed(3));
        Operand other =
                step.apply(new Dropout(0.1, 3, Optional.of(rows.withPiece(second))), type, x, new Operand.FromSeed(3));
        step.write(step.apply(new Binary(Binary.Kind.ADD), type, one, other));
        return step.program();
    }

    @Test
    void namedPiecesAreArguments() throws IOException {
        golden("dropout_of_two_pieces", twoPieces(0, 1));
        assertThat(twoPieces(2, 3).kernels()).isEqualTo(twoPieces(0, 1).kernels());
        assertThat(twoPieces(2, 3).launches()).isNotEqualTo(twoPieces(0, 1).launches());
    }

    /** As where a forward is recomputed beside its gradient. */
    @Test
    void aDropoutAndItsGradientDrawOnce() throws IOException {
        TensorType type = TensorType.of(DType.F32, 6, 40);
        StepFixture step = new StepFixture();
        Operand x = step.read(type);
        Operand kept = step.apply(new Dropout(0.1, 3), type, x, new Operand.FromSeed(3));
        Operand gradient =
                step.apply(new DropoutGradient(new Dropout(0.1, 3)), type, step.read(type), new Operand.FromSeed(3));
        step.write(step.apply(new Binary(Binary.Kind.ADD), type, kept, gradient));
        golden("dropout_and_its_gradient", step.program());
    }

    @Test
    void rowsThatVectorsStraddleDoNot() {
        assertThat(biasDropoutResidual(DType.F32, 6, 42).kernels().getFirst().symbol())
                .isNotEqualTo(biasDropoutResidual(DType.F32, 6, 40)
                        .kernels()
                        .getFirst()
                        .symbol());
    }

    @Test
    void constantsAreArguments() {
        assertThat(scaled(0.5).kernels()).isEqualTo(scaled(0.25).kernels());
        assertThat(scaled(0.5).launches()).isNotEqualTo(scaled(0.25).launches());
    }

    private static KernelProgram scaled(double factor) {
        TensorType type = TensorType.of(DType.F32, 33);
        StepFixture step = new StepFixture();
        Operand x = step.read(type);
        Operand constant = step.apply(new Constant(factor, type), type);
        Operand product = step.apply(new Binary(Binary.Kind.MUL), type, x, constant);
        step.write(step.apply(new Unary(Unary.Kind.EXP), type, product));
        return step.program();
    }

    @Test
    void blocksCoverWhatTheyMust() {
        KernelProgram program = biasDropoutResidual(DType.F32, 1000, 40);
        assertThat(program.launches().getFirst().grid().x())
                .as("40,000 elements, 4 a thread, 256 threads")
                .isEqualTo(40);
        assertThat(program.launches().getFirst().block().count()).isEqualTo(256);
    }
}
