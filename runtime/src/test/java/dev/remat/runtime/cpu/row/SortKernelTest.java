package dev.remat.runtime.cpu.row;

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
            MemorySegment arena = memory.allocate(24L * n, 64);
            for (int i = 0; i < n; i++) {
                switch (type) {
                    case F64 -> arena.set(JAVA_DOUBLE, 8L * i, numbers[i]);
                    case F32 -> arena.set(JAVA_FLOAT, 4L * i, (float) numbers[i]);
                    case I32 -> arena.set(JAVA_INT, 4L * i, (int) numbers[i]);
                    default -> throw new IllegalArgumentException(type.label());
                }
            }
            new SortKernel(type, 1, n, descending).run(pool, arena, 0, 8L * n, 16L * n);
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
}
