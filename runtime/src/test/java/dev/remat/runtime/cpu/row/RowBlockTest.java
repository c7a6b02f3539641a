package dev.remat.runtime.cpu.row;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Softmax, its logarithm and cross entropy of f32: rows that share a block, and rows longer than one. */
class RowBlockTest {
    private static final int IGNORED = -100;
    private static final long LABELS = 1 << 20;
    private static final long LSE = LABELS + (1 << 16);
    private static final long LOSS = LSE + (1 << 16);
    private static final long WORK = LOSS + 64;
    private static final long RESULT = 2 << 20;

    private final MemorySegment arena = Arena.ofAuto().allocate(4 << 20, 64);

    private static float logit(int row, int column) {
        return (float) (8 * Math.sin(row * 12.7 + column * 3.1) + row % 3 * 50 - 40);
    }

    private void fill(int first, int rows, int columns) {
        for (int i = 0; i < rows * columns; i++) {
            arena.setAtIndex(JAVA_FLOAT, i, logit(first + i / columns, i % columns));
        }
        for (int row = 0; row < rows; row++) {
            int label = (first + row) % 5 == 4 ? IGNORED : (first + row) * 7 % columns;
            arena.set(JAVA_INT, LABELS + 4L * row, label);
        }
    }

    private static double logSumExp(int row, int columns) {
        double max = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < columns; i++) {
            max = Math.max(max, logit(row, i));
        }
        double sum = 0;
        for (int i = 0; i < columns; i++) {
            sum += Math.exp(logit(row, i) - max);
        }
        return max + Math.log(sum);
    }

    private float[] result(int rows, int columns) {
        return arena.asSlice(RESULT, 4L * rows * columns).toArray(JAVA_FLOAT);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1500, 2", "700, 3", "5, 1000", "3, 1024", "3, 1025", "2, 5000"})
    void holdsToDoubles(int rows, int columns) {
        fill(0, rows, columns);
        CrossEntropyKernel loss = new CrossEntropyKernel(DType.F32, DType.I32, rows, columns, 0.1, IGNORED, false);
        try (WorkerPool pool = new WorkerPool(2)) {
            new SoftmaxKernel(DType.F32, rows, columns, false).run(pool, arena, 0, RESULT);
            float[] softmax = result(rows, columns);
            new SoftmaxKernel(DType.F32, rows, columns, true).run(pool, arena, 0, RESULT);
            float[] logarithms = result(rows, columns);
            loss.run(pool, arena, 0, LABELS, LOSS, LSE, WORK);
            float mean = arena.get(JAVA_FLOAT, LOSS);
            arena.set(JAVA_FLOAT, LOSS, 3);
            loss.runGradient(pool, arena, LOSS, 0, LABELS, LSE, RESULT);
            float[] slopes = result(rows, columns);
            double expected = 0;
            int counted = 0;
            for (int row = 0; row < rows; row++) {
                counted += arena.get(JAVA_INT, LABELS + 4L * row) == IGNORED ? 0 : 1;
            }
            for (int row = 0; row < rows; row++) {
                double norm = logSumExp(row, columns);
                int label = arena.get(JAVA_INT, LABELS + 4L * row);
                for (int i = 0; i < columns; i++) {
                    double exact = Math.exp(logit(row, i) - norm);
                    int at = row * columns + i;
                    assertThat((double) softmax[at]).isCloseTo(exact, within(2e-6 * exact));
                    assertThat((double) logarithms[at]).isCloseTo(logit(row, i) - norm, within(4e-6));
                    double away = 0.1 / columns + (i == label ? 0.9 : 0);
                    double slope = label == IGNORED ? 0 : 3 * (exact - away) / counted;
                    assertThat((double) slopes[at]).isCloseTo(slope, within(4e-5 * exact / counted + 1e-6 / counted));
                    if (label != IGNORED) {
                        expected += away * (norm - logit(row, i)) / counted;
                    }
                }
            }
            assertThat((double) mean).isCloseTo(expected, within(1e-6 * expected));
        }
    }

    @Test
    void aRowHasTheSameBitsWhateverRowsAreBesideIt() {
        int columns = 300;
        try (WorkerPool pool = new WorkerPool(1)) {
            fill(0, 20, columns);
            new SoftmaxKernel(DType.F32, 20, columns, false).run(pool, arena, 0, RESULT);
            float[] together = result(20, columns);
            fill(17, 1, columns);
            new SoftmaxKernel(DType.F32, 1, columns, false).run(pool, arena, 0, RESULT);
            assertThat(result(1, columns)).isEqualTo(Arrays.copyOfRange(together, 17 * columns, 18 * columns));
        }
    }
}
