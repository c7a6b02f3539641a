package dev.remat.runtime.cpu.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.TestArena;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReductionTest {
    /** Columns whose rows come four at a time, fewer, or one, of which the last chunk has what is left. */
    @ParameterizedTest
    @CsvSource({"1, 3", "3, 2", "4, 5", "7, 100", "61, 33", "9, 300", "5, 1500"})
    void addsRowsInTheirOrder(int rows, int lanes) {
        try (TestArena arena = new TestArena(1 << 20);
                WorkerPool pool = new WorkerPool(2)) {
            long from = arena.normal(DType.F32, rows * lanes);
            double[] sums = columns(arena, pool, Reduction.Kind.SUM, from, rows, lanes);
            for (int lane = 0; lane < lanes; lane++) {
                double expected = 0;
                for (int row = 0; row < rows; row++) {
                    expected += arena.get(DType.F32, from, row * lanes + lane);
                }
                assertThat(sums[lane]).isEqualTo(expected);
            }
        }
    }

    @Test
    void takesTheLargestOfEachColumn() {
        try (TestArena arena = new TestArena(1 << 12);
                WorkerPool pool = new WorkerPool(1)) {
            long from = arena.of(DType.F32, 1, 2, 3, 4, 0, 6, -7, 8, 9, 10, -11, 12, 2, 2, 2);
            assertThat(columns(arena, pool, Reduction.Kind.MAX, from, 5, 3)).containsExactly(10, 8, 12);
        }
    }

    private static double[] columns(
            TestArena arena, WorkerPool pool, Reduction.Kind kind, long from, int rows, int lanes) {
        int[] dims = {rows, lanes};
        boolean[] reduced = {true, false};
        Reduction reduction = new Reduction(
                EltwiseProgram.copy(DType.F32),
                List.of(kind),
                dims,
                reduced,
                List.of(TensorView.dense(DType.F32, from, dims)));
        long workspace = arena.reserve(Reduction.workspaceBytes(dims, reduced, 1, false));
        double[] results = new double[lanes];
        reduction.run(
                pool,
                arena.memory,
                workspace,
                RandomBits.NONE,
                (position, totals, at, step) -> results[(int) position] = totals[at]);
        return results;
    }
}
