package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.EmbeddingGradient;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.OpCase;
import dev.remat.tests.steps.StepSample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Kernels that move elements or bring them together, at sizes where words widen, tiles end and sorts take passes. */
class MovementTest {
    private static final Random RANDOM = new Random(12);

    /**
     * A step and what it must be computed by.
     *
     * @param symbol how its last kernel begins
     * @param launches how many kernels it takes
     */
    record Moved(OpCase op, String symbol, int launches, ShimStep step) {
        static Moved of(StepSample sample, DType dtype, String symbol, int launches) {
            return new Moved(
                    new OpCase(sample, dtype, 1),
                    symbol,
                    launches,
                    ShimStep.of(sample, Architecture.SM_80, CodegenOptions.DEFAULT));
        }

        static Moved of(Op op, DType dtype, String symbol, int launches, Tensor... operands) {
            return of(StepSample.of(op, List.of(operands)), dtype, symbol, launches);
        }

        @Override
        public String toString() {
            return op.toString();
        }
    }

    static final List<Moved> CASES = cases();

    private static final ShimLibrary LIBRARY = ShimLibrary.of(
            CASES.stream()
                    .flatMap(moved -> moved.step().program().kernels().stream())
                    .toList(),
            2);

    private static List<Moved> cases() {
        List<Moved> cases = new ArrayList<>();
        cases.add(Moved.of(
                new Concat(1), DType.F32, "copy_b128_x2", 1, random(DType.F32, 3, 16, 4), random(DType.F32, 3, 24, 4)));
        cases.add(Moved.of(
                new Concat(1), DType.BF16, "copy_b32_x2", 1, random(DType.BF16, 3, 6), random(DType.BF16, 3, 2)));
        cases.add(Moved.of(
                new Concat(0),
                DType.BOOL,
                "copy_b8_x2",
                2,
                IntStream.range(0, 10)
                        .mapToObj(i -> random(DType.BOOL, 9 + 2 * i, 5))
                        .toArray(Tensor[]::new)));
        cases.add(Moved.of(
                pad(new long[] {1, 0, 0}, new long[] {0, 3, 0}, 1),
                DType.I64,
                "pad_b128",
                1,
                random(DType.I64, 5, 7, 2)));
        cases.add(Moved.of(
                pad(new long[] {0, 1}, new long[] {2, 0}, -3), DType.F16, "pad_b16", 1, random(DType.F16, 40, 31)));
        cases.add(transposed(DType.F32, List.of(1, 0), 70, 33));
        cases.add(transposed(DType.BF16, List.of(0, 2, 1), 3, 65, 130));
        cases.add(transposed(DType.BOOL, List.of(2, 1, 0), 17, 3, 67));
        cases.add(transposed(DType.F64, List.of(0, 2, 3, 1), 2, 40, 5, 7));
        cases.add(Moved.of(
                new EmbeddingGradient(Dim.of(200)),
                DType.F32,
                "sort_sum_f32_v4",
                5,
                random(DType.F32, 3000, 8),
                indices(DType.I32, 200, 3000)));
        cases.add(Moved.of(
                new EmbeddingGradient(Dim.of(70_000)),
                DType.BF16,
                "sort_sum_bf16_v1",
                9,
                random(DType.BF16, 2100, 3),
                indices(DType.I64, 70_000, 2100)));
        cases.add(Moved.of(
                new Gather(1),
                DType.I32,
                "gather_b32",
                1,
                random(DType.I32, 4, 50, 6),
                indices(DType.I64, 50, 4, 90, 6)));
        cases.add(Moved.of(
                new ScatterAdd(1, Dim.of(5000)),
                DType.F32,
                "sort_sum_f32_v1",
                7,
                random(DType.F32, 2, 1200, 3),
                indices(DType.I32, 5000, 2, 1200, 3)));
        cases.add(Moved.of(
                new ScatterAdd(2, Dim.of(400)),
                DType.F16,
                "scatter_add_f16",
                1,
                random(DType.F16, 2, 7, 40),
                indices(DType.I64, 400, 2, 7, 40)));
        return cases;
    }

    private static Pad pad(long[] low, long[] high, double value) {
        return new Pad(
                Arrays.stream(low).mapToObj(Dim::of).toList(),
                Arrays.stream(high).mapToObj(Dim::of).toList(),
                value);
    }

    private static Moved transposed(DType dtype, List<Integer> permutation, long... dims) {
        StridedView view = StridedView.dense(Shape.of(dims)).transpose(permutation);
        TensorType type = TensorType.of(
                dtype, view.extents().stream().mapToLong(Long::longValue).toArray());
        StepSample sample = new StepSample(
                List.of(new Instruction(new Contiguous(), List.of(new Operand.FromMemory(0)), List.of(type))),
                List.of(new StepSample.Source(random(dtype, dims), view)),
                List.of(new Operand.FromInstruction(0, 0)));
        return Moved.of(sample, dtype, "transpose_b" + 8 * dtype.bytes(), 1);
    }

    private static Tensor random(DType dtype, long... extents) {
        Tensor tensor = Tensor.zeros(TensorType.of(dtype, extents));
        for (int i = 0; i < tensor.data().length; i++) {
            tensor.data()[i] = dtype.isFloat() ? RANDOM.nextInt(-64, 65) / 64.0 : RANDOM.nextInt(2);
        }
        return tensor;
    }

    /** A quarter of them is one index. */
    private static Tensor indices(DType dtype, int below, long... extents) {
        Tensor tensor = Tensor.zeros(TensorType.of(dtype, extents));
        for (int i = 0; i < tensor.data().length; i++) {
            tensor.data()[i] = RANDOM.nextInt(4) == 0 ? below - 1 : RANDOM.nextInt(below);
        }
        return tensor;
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void agreesWithTheReference(Moved moved) {
        assertThat(moved.step.program().launches()).hasSize(moved.launches);
        int last = moved.step.program().launches().getLast().kernel();
        assertThat(moved.step.program().kernels().get(last).symbol()).startsWith(moved.symbol);
        moved.op.check(moved.step.run(LIBRARY));
    }
}
