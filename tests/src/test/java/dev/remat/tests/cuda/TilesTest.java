package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.codegen.cuda.target.TilePolicy;
import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Unary;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.AllCases;
import dev.remat.tests.steps.OpCase;
import dev.remat.tests.steps.StepSample;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Every tile of matrix products, forced on shapes that it was not made for. */
@Tag("slow")
class TilesTest {
    private static final Random RANDOM = new Random(11);

    /**
     * A step and the tile that computes it.
     *
     * @param launches how many kernels it takes
     */
    record Forced(String tile, OpCase op, int launches, ShimStep step) {
        static Forced of(String tile, DType dtype, StepSample sample, int launches) {
            boolean tf32 = dtype == DType.F32 && tile.startsWith("tensor");
            CodegenOptions options = new CodegenOptions(true, true, new TilePolicy(tile));
            return new Forced(
                    tile,
                    new OpCase(sample, dtype, tf32 ? 200 : 10),
                    launches,
                    ShimStep.of(sample, architecture(tile), options));
        }

        @Override
        public String toString() {
            return tile + " " + op;
        }
    }

    /** A tile, its extents and the dtypes that it is tried with, the first of which stands for the rest. */
    private record Tried(String tile, int m, int n, List<DType> all) {
        List<DType> dtypes() {
            return AllCases.asked() ? all : all.subList(0, 1);
        }
    }

    private static final List<Tried> TRIED = List.of(
            new Tried("plain_32x32", 32, 32, List.of(DType.F32, DType.F64, DType.BF16)),
            new Tried("plain_64x64", 64, 64, List.of(DType.F64, DType.F32, DType.F16)),
            new Tried("plain_64x128", 64, 128, List.of(DType.F32)),
            new Tried("plain_128x64", 128, 64, List.of(DType.F16)),
            new Tried("plain_128x128", 128, 128, List.of(DType.F32, DType.BF16)),
            new Tried("tensor_64x64", 64, 64, List.of(DType.BF16, DType.F32)),
            new Tried("tensor_64x128", 64, 128, List.of(DType.F32, DType.F16)),
            new Tried("tensor_128x64", 128, 64, List.of(DType.F16, DType.F32)),
            new Tried("tensor_128x128", 128, 128, List.of(DType.BF16, DType.F32)),
            new Tried("tensor_128x256", 128, 256, List.of(DType.F32, DType.BF16)),
            new Tried("warpgroup_128x128", 128, 128, List.of(DType.F16, DType.BF16)),
            new Tried("warpgroup_128x256", 128, 256, List.of(DType.BF16, DType.F16)));

    static final List<Forced> CASES = cases();

    private static final ShimLibrary LIBRARY = ShimLibrary.of(
            Stream.concat(
                            CASES.stream().map(Forced::step),
                            Addresses.CASES.stream().flatMap(Addresses::steps))
                    .flatMap(step -> step.program().kernels().stream())
                    .toList(),
            4);

    /** One that has the tile. */
    static Architecture architecture(String tile) {
        return tile.startsWith("warpgroup") ? Architecture.SM_90A : Architecture.SM_80;
    }

    private static List<Forced> cases() {
        List<Forced> cases = new ArrayList<>();
        for (Tried tried : TRIED) {
            for (DType dtype : tried.dtypes()) {
                for (int layout = 0; layout < 4; layout++) {
                    MatMul op = new MatMul(layout % 2 == 1, layout / 2 == 1);
                    boolean odd = (layout + cases.size() / 4) % 2 == 1;
                    StepSample sample = odd
                            ? product(op, dtype, 1, tried.m + 5, tried.n + 3, 51)
                            : product(op, dtype, 2, tried.m - 24, tried.n + 16, 72);
                    cases.add(Forced.of(tried.tile, dtype, sample, 1));
                }
            }
            DType dtype = tried.all.getFirst();
            cases.add(Forced.of(tried.tile, dtype, product(new MatMul(true, false), dtype, 1, 40, 24, 2000), 2));
            Op conv = new Conv2d(new ConvGeometry(2, 1, 1, 0, 1, 1, 2));
            StepSample sample = sample(conv, List.of(random(dtype, 2, 6, 11, 9), random(dtype, 14, 3, 3, 2)));
            cases.add(Forced.of(tried.tile, dtype, sample, 1));
        }
        return cases;
    }

    private static StepSample product(MatMul op, DType dtype, long batches, long m, long n, long k) {
        Tensor a = op.transposeA() ? random(dtype, batches, k, m) : random(dtype, batches, m, k);
        Tensor b = op.transposeB() ? random(dtype, batches, n, k) : random(dtype, batches, k, n);
        return sample(op, List.of(a, b));
    }

    /** The operation and what is fused to it. */
    private static StepSample sample(Op op, List<Tensor> operands) {
        TensorType type = op.infer(operands.stream().map(Tensor::type).toList()).getFirst();
        List<Instruction> body = List.of(
                new Instruction(op, List.of(new Operand.FromMemory(0), new Operand.FromMemory(1)), List.of(type)),
                new Instruction(new Unary(Unary.Kind.RELU), List.of(new Operand.FromInstruction(0, 0)), List.of(type)));
        return new StepSample(
                body,
                operands.stream().map(StepSample.Source::dense).toList(),
                List.of(new Operand.FromInstruction(1, 0)));
    }

    /** Multiples of 1/64 from −1 to 1, which every dtype holds. */
    private static Tensor random(DType dtype, long... extents) {
        Tensor tensor = Tensor.zeros(TensorType.of(dtype, extents));
        for (int i = 0; i < tensor.data().length; i++) {
            tensor.data()[i] = RANDOM.nextInt(-64, 65) / 64.0;
        }
        return tensor;
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void agreesWithTheReference(Forced forced) {
        assertThat(forced.step.program().launches()).hasSize(forced.launches);
        assertThat(forced.step.program().kernels())
                .extracting(KernelSource::symbol)
                .first()
                .asString()
                .startsWith("gemm_" + forced.tile.substring(0, forced.tile.indexOf('_')));
        forced.op.check(forced.step.run(LIBRARY));
    }

    /** One product whose left operand lies where whole chunks may be read, and where only single elements may. */
    record Addresses(String tile, ShimStep aligned, ShimStep odd) {
        static final List<Addresses> CASES = TRIED.stream().map(Addresses::of).toList();

        private static Addresses of(Tried tried) {
            DType dtype = tried.all.getLast();
            Tensor buffer = random(dtype, 80 * 512 + 1);
            Tensor b = random(dtype, 512, 96);
            Tensor shifted = Tensor.zeros(buffer.type());
            System.arraycopy(buffer.data(), 0, shifted.data(), 1, 80 * 512);
            return new Addresses(tried.tile, step(tried.tile, buffer, 0, b), step(tried.tile, shifted, 1, b));
        }

        private static ShimStep step(String tile, Tensor buffer, long offset, Tensor b) {
            StridedView dense = StridedView.dense(Shape.of(80, 512));
            StridedView view = new StridedView(offset, dense.extents(), dense.strides());
            StepSample sample = StepSample.of(
                    new MatMul(false, false),
                    List.of(Tensor.zeros(TensorType.of(b.type().dtype(), 80, 512)), b));
            List<StepSample.Source> sources = List.of(new StepSample.Source(buffer, view), StepSample.Source.dense(b));
            CodegenOptions options = new CodegenOptions(true, true, new TilePolicy(tile));
            return ShimStep.of(new StepSample(sample.body(), sources, sample.written()), architecture(tile), options);
        }

        Stream<ShimStep> steps() {
            return Stream.of(aligned, odd);
        }

        @Override
        public String toString() {
            return tile;
        }
    }

    static final List<Addresses> ADDRESSES = Addresses.CASES;

    @ParameterizedTest
    @FieldSource("ADDRESSES")
    void addressesChangeNoBit(Addresses addresses) {
        assertThat(addresses.odd.program().kernels().getFirst())
                .isNotEqualTo(addresses.aligned.program().kernels().getFirst());
        double[] aligned = addresses.aligned.run(LIBRARY).getFirst().data();
        double[] odd = addresses.odd.run(LIBRARY).getFirst().data();
        assertThat(odd).isEqualTo(aligned);
        assertThat(aligned).isNotEqualTo(new double[aligned.length]);
    }
}
