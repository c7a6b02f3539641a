package dev.remat.runtime.cpu.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.ir.op.PoolWindow;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.TestArena;
import dev.remat.runtime.cpu.support.WorkerPool;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which element of a window is its maximum: rows of five, windows of three side by side, one element of padding. */
class Pool2dTest {
    private static final double INF = Double.POSITIVE_INFINITY;
    private static final double NAN = Double.NaN;
    private static final double NEGATIVE_NAN = Double.longBitsToDouble(0xFFF8L << 48);

    private static void check(DType type, double[] x, double[] maxima, double[] slopes) {
        try (TestArena arena = new TestArena(4096);
                WorkerPool pool = new WorkerPool(1)) {
            Pool2d pooling = new Pool2d(type, 1, 1, 5, 1, 3, new PoolWindow(1, 3, 1, 2, 0, 1), false);
            long from = arena.of(type, x);
            long to = arena.reserve(3L * type.bytes());
            pooling.runMax(pool, arena.memory, from, to);
            assertThat(elements(arena, type, to, 3)).containsExactly(maxima);
            long dy = arena.of(type, 1, 2, 4);
            long dx = arena.reserve(5L * type.bytes());
            pooling.runMaxGradient(pool, arena.memory, dy, from, dx);
            assertThat(elements(arena, type, dx, 5)).containsExactly(slopes);
        }
    }

    private static double[] elements(TestArena arena, DType type, long at, int count) {
        double[] elements = new double[count];
        for (int i = 0; i < count; i++) {
            elements[i] = Elements.get(arena.memory, type, at + (long) i * type.bytes());
        }
        return elements;
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F64", "F32", "BF16", "F16"})
    void theFirstOfEqualOnesIsTaken(DType type) {
        check(type, new double[] {3, 1, 2, 2, 0}, new double[] {3, 2, 2}, new double[] {1, 0, 2, 4, 0});
        check(type, new double[] {-1, -1, -4, -2, -3}, new double[] {-1, -1, -2}, new double[] {1, 2, 0, 4, 0});
        check(type, new double[] {0, -0.0, 0, -0.0, -0.0}, new double[] {0, 0, 0}, new double[] {1, 2, 0, 4, 0});
        check(type, new double[] {-INF, -INF, 1, INF, INF}, new double[] {-INF, INF, INF}, new double[] {1, 0, 0, 6, 0
        });
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F64", "F32", "BF16", "F16"})
    void theFirstThatIsNoNumberIsTakenBeforeAll(DType type) {
        check(type, new double[] {INF, 1, NEGATIVE_NAN, NAN, 5}, new double[] {INF, NAN, NAN}, new double[] {
            1, 0, 2, 4, 0
        });
        check(type, new double[] {NAN, NEGATIVE_NAN, 2, 3, 1}, new double[] {NAN, NAN, 3}, new double[] {1, 2, 0, 4, 0
        });
    }
}
