package dev.remat.runtime.cpu.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.TestArena;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.util.List;
import org.junit.jupiter.api.Test;

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
