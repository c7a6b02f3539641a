package dev.remat.runtime.cpu.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.TestArena;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EltwiseTest {
    @Test
    void readsTransposedAndBroadcastInputs() {
        try (TestArena arena = new TestArena(1 << 20);
                WorkerPool pool = new WorkerPool(2)) {
            EltwiseProgram.Builder builder = new EltwiseProgram.Builder();
            int x = builder.input(DType.F32);
            int row = builder.input(DType.F32);
            int column = builder.input(DType.F32);
            int sum = builder.apply(Primitive.ADD, DType.F32, x, row);
            EltwiseProgram program = builder.build(builder.apply(Primitive.MUL, DType.F32, sum, column));
            int rows = 70;
            int columns = 45;
            int[] dims = {rows, columns};
            long a = arena.normal(DType.F32, rows * columns);
            long b = arena.normal(DType.F32, columns);
            long c = arena.normal(DType.F32, rows);
            long out = arena.reserve(4L * rows * columns);
            List<TensorView> inputs = List.of(
                    new TensorView(DType.F32, a, dims, new long[] {1, rows}),
                    new TensorView(DType.F32, b, dims, new long[] {0, 1}),
                    new TensorView(DType.F32, c, dims, new long[] {1, 0}));
            new Eltwise(program, dims, inputs, List.of(TensorView.dense(DType.F32, out, dims))).run(pool, arena.memory);
            for (int i = 0; i < rows; i++) {
                for (int j = 0; j < columns; j++) {
                    float shifted = (float) arena.get(DType.F32, a, j * rows + i) + (float) arena.get(DType.F32, b, j);
                    float expected = shifted * (float) arena.get(DType.F32, c, i);
                    assertThat((float) arena.get(DType.F32, out, i * columns + j))
                            .isEqualTo(expected);
                }
            }
        }
    }

    /** Loops of all lengths beside those of a chunk, axes in any order, with gaps between them or repeated. */
    @ParameterizedTest
    @EnumSource(names = {"F32", "BF16", "F64", "I32"})
    void movesBoxesThroughAnyStrides(DType type) {
        Random random = new Random(3);
        int[][] boxes = {{1}, {5, 16}, {40, 64}, {3, 7, 15}, {2, 9, 130}, {3, 1500}, {2, 2, 1, 700}, {70, 33, 1}};
        for (int[] dims : boxes) {
            for (int trial = 0; trial < 8; trial++) {
                try (TestArena arena = new TestArena(1 << 20);
                        WorkerPool pool = new WorkerPool(2)) {
                    TensorView from = drawn(dims, true, type, arena, random);
                    TensorView to = drawn(dims, false, type, arena, random);
                    new Eltwise(EltwiseProgram.copy(type), dims, List.of(from), List.of(to)).run(pool, arena.memory);
                    for (int position = 0; position < elements(dims); position++) {
                        assertThat(arena.get(type, to.offset(), at(to, position)))
                                .as("%s of %s to %s", position, from, to)
                                .isEqualTo(arena.get(type, from.offset(), at(from, position)));
                    }
                }
            }
        }
    }

    /** Axes from the innermost to the outermost in a drawn order, each as far as what it holds and a gap. */
    private static TensorView drawn(int[] dims, boolean repeats, DType type, TestArena arena, Random random) {
        List<Integer> axes =
                new ArrayList<>(IntStream.range(0, dims.length).boxed().toList());
        if (random.nextBoolean()) {
            Collections.shuffle(axes, random);
        }
        long[] strides = new long[dims.length];
        long stride = 1;
        for (int axis : axes.reversed()) {
            strides[axis] = repeats && random.nextInt(4) == 0 ? 0 : stride;
            stride = strides[axis] == 0 ? stride : stride * dims[axis] + random.nextInt(3);
        }
        return new TensorView(type, arena.normal(type, Math.toIntExact(stride + 1)), dims, strides);
    }

    private static int elements(int[] dims) {
        return Arrays.stream(dims).reduce(1, (a, b) -> a * b);
    }

    private static int at(TensorView view, int position) {
        long element = 0;
        int rest = position;
        for (int axis = view.dims().length - 1; axis >= 0; axis--) {
            element += rest % view.dims()[axis] * view.strides()[axis];
            rest /= view.dims()[axis];
        }
        return Math.toIntExact(element);
    }

    @Test
    void writesThroughStrides() {
        try (TestArena arena = new TestArena(1 << 16);
                WorkerPool pool = new WorkerPool(1)) {
            int[] dims = {2, 3};
            long from = arena.of(DType.I32, 1, 2, 3, 4, 5, 6);
            long to = arena.zeros(DType.I32, 10);
            TensorView strided = new TensorView(DType.I32, to + 4, dims, new long[] {5, 1});
            new Eltwise(
                            EltwiseProgram.copy(DType.I32),
                            dims,
                            List.of(TensorView.dense(DType.I32, from, dims)),
                            List.of(strided))
                    .run(pool, arena.memory);
            assertThat(arena.values(DType.I32, to, 10)).containsExactly(0, 1, 2, 3, 0, 0, 4, 5, 6, 0);
        }
    }

    @Test
    void roundsEveryStepToItsType() {
        try (TestArena arena = new TestArena(1 << 16);
                WorkerPool pool = new WorkerPool(1)) {
            EltwiseProgram.Builder builder = new EltwiseProgram.Builder();
            int x = builder.input(DType.BF16);
            int one = builder.constant(DType.BF16, 1);
            int sum = builder.apply(Primitive.ADD, DType.BF16, x, one);
            EltwiseProgram program = builder.build(builder.apply(Primitive.SUB, DType.BF16, sum, one));
            long from = arena.of(DType.BF16, 0x1p-9, 3 * 0x1p-8, 0x1p-7);
            long to = arena.reserve(6);
            Eltwise.dense(program, new int[] {3}, from, to).run(pool, arena.memory);
            // bf16 has 8 significant bits: 1 + 2⁻⁹ is 1, 1 + 3·2⁻⁸ lies between two and goes to the even one.
            assertThat(arena.values(DType.BF16, to, 3)).containsExactly(0, 0x1p-6, 0x1p-7);
        }
    }

    @Test
    void comparesSelectsAndCasts() {
        try (TestArena arena = new TestArena(1 << 16);
                WorkerPool pool = new WorkerPool(1)) {
            EltwiseProgram.Builder builder = new EltwiseProgram.Builder();
            int x = builder.input(DType.F32);
            int y = builder.input(DType.F32);
            int less = builder.apply(Primitive.LT, DType.BOOL, x, y);
            int not = builder.apply(Primitive.NOT, DType.BOOL, less);
            int chosen = builder.apply(Primitive.WHERE, DType.F32, not, x, y);
            int whole = builder.apply(Primitive.CAST, DType.I64, chosen);
            EltwiseProgram program = builder.build(less, chosen, whole);
            long a = arena.of(DType.F32, -2.5, 3, Double.NaN, 7.75);
            long b = arena.of(DType.F32, 1, 3, 0, -1);
            long bool = arena.reserve(4);
            long f32 = arena.reserve(16);
            long i64 = arena.reserve(32);
            Eltwise.dense(program, new int[] {4}, a, b, bool, f32, i64).run(pool, arena.memory);
            assertThat(arena.values(DType.BOOL, bool, 4)).containsExactly(1, 0, 0, 0);
            assertThat(arena.values(DType.F32, f32, 4)).containsExactly(1, 3, Double.NaN, 7.75);
            assertThat(arena.values(DType.I64, i64, 4)).containsExactly(1, 3, 0, 7);
        }
    }

    @Test
    void wrapsIntegersAtTheirWidth() {
        try (TestArena arena = new TestArena(1 << 16);
                WorkerPool pool = new WorkerPool(1)) {
            EltwiseProgram.Builder builder = new EltwiseProgram.Builder();
            int x = builder.input(DType.I32);
            EltwiseProgram program = builder.build(builder.apply(Primitive.ADD, DType.I32, x, x));
            long from = arena.of(DType.I32, 1 << 30, 5);
            Eltwise.dense(program, new int[] {2}, from, from).run(pool, arena.memory);
            assertThat(arena.values(DType.I32, from, 2)).containsExactly(Integer.MIN_VALUE, 10);
        }
    }

    @Test
    void copiesWholeTensors() {
        try (TestArena arena = new TestArena(8 << 20);
                WorkerPool pool = new WorkerPool(2)) {
            long from = arena.normal(DType.F32, 500_001);
            long to = arena.reserve(500_001 * 4);
            Eltwise.dense(EltwiseProgram.copy(DType.F32), new int[] {500_001}, from, to)
                    .run(pool, arena.memory);
            assertThat(arena.values(DType.F32, to, 500_001)).isEqualTo(arena.values(DType.F32, from, 500_001));
        }
    }
}
