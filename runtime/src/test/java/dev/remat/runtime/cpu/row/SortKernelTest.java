package dev.remat.runtime.cpu.row;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SortKernelTest {
    private static int[] places(DType type, boolean descending, double... numbers) {
        int n = numbers.length;
        try (Arena memory = Arena.ofConfined();
                WorkerPool pool = new WorkerPool(1)) {
            SortKernel kernel = new SortKernel(type, 1, n, descending);
            MemorySegment arena = memory.allocate(24L * n + kernel.workspaceBytes(1), 64);
            for (int i = 0; i < n; i++) {
                switch (type) {
                    case F64 -> arena.set(JAVA_DOUBLE, 8L * i, numbers[i]);
                    case F32 -> arena.set(JAVA_FLOAT, 4L * i, (float) numbers[i]);
                    case I32 -> arena.set(JAVA_INT, 4L * i, (int) numbers[i]);
                    default -> throw new IllegalArgumentException(type.label());
                }
            }
            kernel.run(pool, arena, 0, 8L * n, 16L * n, 24L * n);
            return arena.asSlice(16L * n, 4L * n).toArray(JAVA_INT);
        }
    }

    @Test
    void notANumberIsTheLargestAndBothZerosAreOne() {
        double[] special = {
            Double.NaN, 0.0, -0.0, Double.POSITIVE_INFINITY, -1, Double.NEGATIVE_INFINITY, Double.NaN, 1e-300, -0.0
        };
        assertThat(places(DType.F64, false, special)).containsExactly(5, 4, 1, 2, 8, 7, 3, 0, 6);
        assertThat(places(DType.F64, true, special)).containsExactly(0, 6, 3, 7, 1, 2, 8, 4, 5);
        special[7] = 1e-40;
        assertThat(places(DType.F32, false, special)).containsExactly(5, 4, 1, 2, 8, 7, 3, 0, 6);
        assertThat(places(DType.F32, true, special)).containsExactly(0, 6, 3, 7, 1, 2, 8, 4, 5);
        assertThat(places(DType.I32, false, 3, -2, Integer.MIN_VALUE, 3, 0, Integer.MAX_VALUE))
                .containsExactly(2, 1, 4, 0, 3, 5);
    }

    @Test
    void longRowsAreInOrder() {
        Random random = new Random(2);
        double[] numbers = random.doubles(50_000, -1, 1).toArray();
        double[] sorted = Arrays.stream(places(DType.F64, false, numbers))
                .mapToDouble(place -> numbers[place])
                .toArray();
        assertThat(sorted).isEqualTo(Arrays.stream(numbers).sorted().toArray());
    }

    /** Rows beyond the 16 shares are sorted where earlier ones were; nothing is written behind the workspace. */
    @Test
    void rowsShareTheWorkspace() {
        int rows = 45;
        int columns = 3000;
        SortKernel kernel = new SortKernel(DType.F32, rows, columns, false);
        long elements = (long) rows * columns;
        long bytes = kernel.workspaceBytes(WorkerPool.MOST_THREADS);
        assertThat(bytes).isEqualTo(16 * 24L * columns);
        assertThat(new SortKernel(DType.F32, 1, columns, false).workspaceBytes(WorkerPool.MOST_THREADS))
                .isEqualTo(24L * columns);
        try (Arena memory = Arena.ofShared();
                WorkerPool pool = new WorkerPool(3)) {
            MemorySegment arena =
                    memory.allocate(12 * elements + bytes + 64, 64).fill((byte) 7);
            Random random = new Random(3);
            for (long i = 0; i < elements; i++) {
                arena.setAtIndex(JAVA_FLOAT, i, random.nextFloat());
            }
            kernel.run(pool, arena, 0, 4 * elements, 8 * elements, 12 * elements);
            for (int row = 0; row < rows; row++) {
                float[] numbers =
                        arena.asSlice(4L * row * columns, 4L * columns).toArray(JAVA_FLOAT);
                Arrays.sort(numbers);
                assertThat(arena.asSlice(4 * (elements + (long) row * columns), 4L * columns)
                                .toArray(JAVA_FLOAT))
                        .isEqualTo(numbers);
            }
            assertThat(arena.asSlice(12 * elements + bytes).toArray(JAVA_BYTE)).containsOnly(7);
        }
    }
}
