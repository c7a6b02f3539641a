package dev.remat.runtime.cpu.norm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.TestArena;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Held to the formula in doubles: one run of rows and several, rows longer than a chunk, without a mean or gamma. */
class RowNormGradientTest {
    private static final double EPSILON = 1e-3;

    @ParameterizedTest
    @CsvSource({
        "F32, 3, 16, true, true",
        "F32, 1, 1100, true, true",
        "F32, 512, 20, true, true",
        "F32, 256, 17, false, true",
        "F32, 130, 40, true, false",
        "BF16, 256, 24, true, true"
    })
    void holdsToTheFormula(DType type, int rows, int columns, boolean centered, boolean scaled) {
        try (TestArena arena = new TestArena(4 << 20)) {
            int n = rows * columns;
            long dy = arena.normal(type, n);
            long x = arena.normal(type, n);
            long mean = centered ? arena.normal(DType.F32, rows) : Elements.NONE;
            long variance = arena.reserve(4L * rows);
            for (int row = 0; row < rows; row++) {
                Elements.set(arena.memory, DType.F32, variance + 4L * row, 0.5 + row % 7);
            }
            long gamma = arena.normal(DType.F32, columns);
            NormGradient.Results to = new NormGradient.Results(
                    arena.reserve((long) n * type.bytes()),
                    arena.reserve(4L * columns),
                    centered ? arena.reserve(4L * columns) : Elements.NONE,
                    arena.reserve(RowNormGradient.workspaceBytes(rows, columns)));
            RowNormGradient kernel = new RowNormGradient(
                    type,
                    rows,
                    columns,
                    EPSILON,
                    new RowNormGradient.Offsets(
                            dy,
                            x,
                            mean,
                            variance,
                            scaled ? Optional.of(TensorView.dense(DType.F32, gamma, 1, columns)) : Optional.empty()));
            try (WorkerPool one = new WorkerPool(1)) {
                kernel.run(one, arena.memory, to);
            }
            byte[] alone = bytes(arena.memory, to, n * type.bytes(), columns, centered && scaled);
            try (WorkerPool three = new WorkerPool(3)) {
                kernel.run(three, arena.memory, to);
            }
            assertThat(bytes(arena.memory, to, n * type.bytes(), columns, centered && scaled))
                    .isEqualTo(alone);
            double[] dgamma = new double[columns];
            double[] dbeta = new double[columns];
            for (int row = 0; row < rows; row++) {
                double center = centered ? Elements.get(arena.memory, DType.F32, mean + 4L * row) : 0;
                double root = 1 / Math.sqrt(0.5 + row % 7 + EPSILON);
                double[] g = new double[columns];
                double[] h = new double[columns];
                double meanG = 0;
                double meanGh = 0;
                double sizeG = 0;
                double sizeGh = 0;
                for (int i = 0; i < columns; i++) {
                    long at = (long) (row * columns + i) * type.bytes();
                    double slope = Elements.get(arena.memory, type, dy + at);
                    h[i] = (Elements.get(arena.memory, type, x + at) - center) * root;
                    g[i] = slope * (scaled ? Elements.get(arena.memory, DType.F32, gamma + 4L * i) : 1);
                    dgamma[i] += slope * h[i];
                    dbeta[i] += slope;
                    meanG += centered ? g[i] / columns : 0;
                    meanGh += g[i] * h[i] / columns;
                    sizeG += Math.abs(g[i]) / columns;
                    sizeGh += Math.abs(g[i] * h[i]) / columns;
                }
                for (int i = 0; i < columns; i++) {
                    double expected = root * (g[i] - meanG - h[i] * meanGh);
                    double found =
                            Elements.get(arena.memory, type, to.dx() + (long) (row * columns + i) * type.bytes());
                    double size = root * (Math.abs(g[i]) + sizeG + Math.abs(h[i]) * sizeGh);
                    assertThat(found).isCloseTo(expected, within((type == DType.F32 ? 5e-7 : 5e-3) * size + 1e-30));
                }
            }
            for (int i = 0; scaled && i < columns; i++) {
                assertThat(Elements.get(arena.memory, DType.F32, to.dgamma() + 4L * i))
                        .isCloseTo(dgamma[i], within(2e-5 + 1e-6 * Math.abs(dgamma[i])));
                if (centered) {
                    assertThat(Elements.get(arena.memory, DType.F32, to.dbeta() + 4L * i))
                            .isCloseTo(dbeta[i], within(1e-6 * Math.abs(dbeta[i]) + 1e-12));
                }
            }
        }
    }

    private static byte[] bytes(MemorySegment memory, NormGradient.Results to, int dx, int columns, boolean withSums) {
        long end = withSums ? to.dbeta() + 4L * columns : to.dx() + dx;
        return memory.asSlice(to.dx(), end - to.dx()).toArray(JAVA_BYTE);
    }
}
