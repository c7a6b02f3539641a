package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.codegen.cuda.target.TilePolicy;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.MatMul;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.StepSample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Emitted products of some rows, put together, have the bits of the product of all, whatever tile computes them. */
@Tag("slow")
class ChunkedProductsTest {
    private static final MatMul SUM = new MatMul(true, false, true);
    private static final MatMul ROWS = new MatMul(false, true);

    /**
     * Sums over rows and products by rows, whole and in two chunks of which the second sum goes on from the first.
     *
     * @param before what the last sum goes on from
     */
    record Chunked(String tile, DType dtype, List<ShimStep> whole, List<ShimStep> first, Tensor before, ShimStep last) {
        /** @param end of the first chunk */
        static Chunked of(String tile, DType dtype, CodegenOptions options, int m, int n, int end, int rows) {
            Architecture architecture = TilesTest.architecture(tile);
            Tensor x = random(dtype, 1, rows, m);
            Tensor dy = random(dtype, 2, rows, n);
            Tensor w = random(dtype, 3, n, m);
            List<ShimStep> whole =
                    List.of(step(SUM, architecture, options, x, dy), step(ROWS, architecture, options, x, w));
            MatMul sum = SUM.chunkOf(rows);
            MatMul part = ROWS.chunkOf(rows);
            List<ShimStep> chunks = List.of(
                    step(sum, architecture, options, rows(x, 0, end), rows(dy, 0, end)),
                    step(part, architecture, options, rows(x, 0, end), w),
                    step(part, architecture, options, rows(x, end, rows), w));
            Tensor before = Tensor.zeros(TensorType.of(dtype.accumulator(), m, n));
            ShimStep last = step(sum, architecture, options, rows(x, end, rows), rows(dy, end, rows), before);
            return new Chunked(tile, dtype, whole, chunks, before, last);
        }

        Stream<ShimStep> steps() {
            return Stream.of(whole, first, List.of(last)).flatMap(List::stream);
        }

        @Override
        public String toString() {
            return tile + " " + dtype.label();
        }
    }

    static final List<Chunked> CASES = cases();

    private static final ShimLibrary LIBRARY = ShimLibrary.of(
            CASES.stream()
                    .flatMap(Chunked::steps)
                    .flatMap(step -> step.program().kernels().stream())
                    .toList(),
            4);

    private static List<Chunked> cases() {
        List<Chunked> cases = new ArrayList<>();
        for (String tile :
                List.of("plain_32x32", "plain_128x64", "tensor_64x128", "tensor_128x128", "warpgroup_128x256")) {
            DType dtype = tile.startsWith("plain") ? DType.F32 : DType.BF16;
            CodegenOptions options = new CodegenOptions(true, true, new TilePolicy(tile, true));
            cases.add(Chunked.of(tile, dtype, options, 136, 72, 128, 200));
        }
        cases.add(wide());
        cases.add(split());
        return cases;
    }

    /** Sums of wide rows, as a head's bias has for its gradient, are not split, so that any run may end a chunk. */
    private static Chunked wide() {
        int rows = 264;
        long run = new CudaTarget(Architecture.SM_90A)
                .rowsOfChunks(
                        SUM,
                        List.of(TensorType.of(DType.F32, 8192, 1), TensorType.of(DType.F32, 8192, 4096)),
                        List.of(TensorType.of(DType.F32, 1, 4096)));
        assertThat(run).isEqualTo(256);
        return Chunked.of("plain_32x32", DType.F32, CodegenOptions.DEFAULT, 1, 4096, (int) run, rows);
    }

    /** The sum over so many rows of so few columns is split among blocks, and chunks end where splits do. */
    private static Chunked split() {
        int rows = 8192;
        long run = new CudaTarget(Architecture.SM_80)
                .rowsOfChunks(
                        SUM,
                        List.of(TensorType.of(DType.F64, rows, 40), TensorType.of(DType.F64, rows, 24)),
                        List.of(TensorType.of(DType.F64, 40, 24)));
        assertThat(run).isGreaterThan(256).isLessThan(rows);
        return Chunked.of("splits", DType.F64, CodegenOptions.DEFAULT, 40, 24, (int) run, rows);
    }

    private static ShimStep step(MatMul op, Architecture architecture, CodegenOptions options, Tensor... operands) {
        return ShimStep.of(StepSample.of(op, List.of(operands)), architecture, options);
    }

    private static Tensor random(DType dtype, int seed, long... extents) {
        Random random = new Random(seed);
        Tensor tensor = Tensor.zeros(TensorType.of(dtype, extents));
        Arrays.setAll(tensor.data(), _ -> random.nextGaussian());
        return tensor;
    }

    private static Tensor rows(Tensor matrix, int from, int to) {
        int width = (int) matrix.type().dim(1).value();
        TensorType type = TensorType.of(matrix.type().dtype(), to - from, width);
        return new Tensor(type, Arrays.copyOfRange(matrix.data(), from * width, to * width));
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void chunksPutTogetherHaveTheBitsOfTheWhole(Chunked chunked) {
        List<double[]> whole = chunked.whole.stream()
                .map(step -> step.run(LIBRARY).getFirst().data())
                .toList();
        List<Tensor> chunks =
                chunked.first.stream().map(step -> step.run(LIBRARY).getFirst()).toList();
        double[] rows = Stream.of(chunks.get(1), chunks.get(2))
                .flatMapToDouble(part -> Arrays.stream(part.data()))
                .toArray();
        assertThat(rows).isEqualTo(whole.get(1));
        assertThat(chunks.getFirst().data()).isNotEqualTo(whole.getFirst());
        double[] first = chunks.getFirst().data();
        System.arraycopy(first, 0, chunked.before.data(), 0, first.length);
        Tensor sum = chunked.last.run(LIBRARY).getFirst();
        assertThat(sum.data()).isEqualTo(whole.getFirst());
    }
}
