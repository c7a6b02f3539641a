package dev.remat.runtime.cpu.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.ir.DType;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProductsTest {
    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F32", "F64"})
    void multipliesSlicesOfWiderMatrices(DType type) {
        try (TestArena arena = new TestArena(1 << 20);
                Products products = new Products()) {
            MatrixRef a = new MatrixRef(arena.of(type, 2, 0, 0, 3), 2, 1, 3);
            MatrixRef b = new MatrixRef(arena.of(type, 5, 7), 1, 2, 5);
            MatrixRef c = new MatrixRef(arena.zeros(type, 8), 2, 2, 4);
            products.multiply(type, arena.memory, a, b, 0, c);
            assertThat(arena.values(type, c.at(), 8)).containsExactly(10, 14, 0, 0, 15, 21, 0, 0);
            products.multiply(type, arena.memory, b.transpose(), a.transpose(), 1, c);
            assertThat(arena.values(type, c.at(), 8)).containsExactly(20, 29, 0, 0, 29, 42, 0, 0);
        }
    }

    /** Two rows and columns at least: so tiles of f32 may be cut by how many threads there are. */
    @Test
    void anElementIsAddedUpTheSameWayInATileOfAnySize() {
        Random random = new Random(2);
        for (int round = 0; round < 60; round++) {
            try (TestArena arena = new TestArena(8 << 20);
                    Products products = new Products()) {
                int m = 2 + random.nextInt(400);
                int n = 2 + random.nextInt(600);
                int k = 1 + random.nextInt(512);
                boolean leftTransposed = random.nextBoolean();
                boolean rightTransposed = random.nextBoolean();
                long a = arena.normal(DType.F32, m * k);
                long b = arena.normal(DType.F32, k * n);
                MatrixRef left = leftTransposed ? new MatrixRef(a, k, m, m).transpose() : new MatrixRef(a, m, k, k);
                MatrixRef right = rightTransposed ? new MatrixRef(b, n, k, k).transpose() : new MatrixRef(b, k, n, n);
                MatrixRef whole = MatrixRef.dense(arena.reserve(4L * m * n), m, n);
                products.multiply(DType.F32, arena.memory, left, right, 0, whole);
                int row = random.nextInt(m - 1);
                int column = random.nextInt(n - 1);
                int rows = 2 + random.nextInt(m - row - 1);
                int columns = 2 + random.nextInt(n - column - 1);
                long from = 4L * (leftTransposed ? row : row * k);
                long beside = 4L * (rightTransposed ? column * k : column);
                MatrixRef some = leftTransposed
                        ? new MatrixRef(a + from, k, rows, m).transpose()
                        : new MatrixRef(a + from, rows, k, k);
                MatrixRef others = rightTransposed
                        ? new MatrixRef(b + beside, columns, k, k).transpose()
                        : new MatrixRef(b + beside, k, columns, n);
                MatrixRef tile = MatrixRef.dense(arena.reserve(4L * rows * columns), rows, columns);
                products.multiply(DType.F32, arena.memory, some, others, 0, tile);
                for (int i = 0; i < rows; i++) {
                    for (int j = 0; j < columns; j++) {
                        assertThat(arena.get(DType.F32, tile.at(), i * columns + j))
                                .isEqualTo(arena.get(DType.F32, whole.at(), (row + i) * n + column + j));
                    }
                }
            }
        }
    }

    /** Rows, columns and what is between are often one, as tiles at edges are. */
    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F32", "F64"})
    void agreesWithLoopsWhereverMatricesLie(DType type) {
        Random random = new Random(1);
        try (TestArena arena = new TestArena(64 << 20);
                Products products = new Products();
                Products others = new Products()) {
            for (int round = 0; round < 200; round++) {
                int m = extent(random);
                int n = extent(random);
                int k = extent(random);
                MatrixRef a = some(arena, type, random, m, k);
                MatrixRef b = some(arena, type, random, k, n);
                int leading = n + random.nextInt(3);
                MatrixRef c = new MatrixRef(arena.normal(type, m * leading), m, n, leading);
                double[] before = arena.values(type, c.at(), m * leading);
                int beta = random.nextInt(2);
                products.multiply(type, arena.memory, a, b, beta, c);
                double[] after = arena.values(type, c.at(), m * leading);
                for (int i = 0; i < m; i++) {
                    for (int j = 0; j < leading; j++) {
                        double there = before[i * leading + j];
                        double sum = j < n ? beta * there : there;
                        for (int l = 0; l < k && j < n; l++) {
                            sum += at(arena, type, a, i, l) * at(arena, type, b, l, j);
                        }
                        assertThat(after[i * leading + j])
                                .as("%s × %s", a, b)
                                .isCloseTo(sum, within(j < n ? TestArena.tolerance(type) * (k + 1) : 0));
                    }
                }
                arena.reserve(type.bytes() * (1L + random.nextInt(15)));
                MatrixRef elsewhere = new MatrixRef(arena.reserve((long) m * leading * type.bytes()), m, n, leading);
                for (int i = 0; i < m * leading; i++) {
                    Elements.set(arena.memory, type, elsewhere.at() + (long) i * type.bytes(), before[i]);
                }
                others.multiply(type, arena.memory, moved(arena, type, a), moved(arena, type, b), beta, elsewhere);
                assertThat(arena.values(type, elsewhere.at(), m * leading)).containsExactly(after);
            }
        }
    }

    private static int extent(Random random) {
        return random.nextInt(3) == 0 ? 1 + random.nextInt(2) : 1 + random.nextInt(70);
    }

    private static MatrixRef some(TestArena arena, DType type, Random random, int rows, int columns) {
        boolean transposed = random.nextBoolean();
        int stored = transposed ? columns : rows;
        int leading = (transposed ? rows : columns) + random.nextInt(3);
        MatrixRef matrix =
                new MatrixRef(arena.normal(type, stored * leading), stored, transposed ? rows : columns, leading);
        return transposed ? matrix.transpose() : matrix;
    }

    /** The same elsewhere, at another distance from what caches hold together. */
    private static MatrixRef moved(TestArena arena, DType type, MatrixRef matrix) {
        long bytes = (long) matrix.storedRows() * matrix.leading() * type.bytes();
        arena.reserve(type.bytes());
        long to = arena.reserve(bytes);
        arena.memory.asSlice(to, bytes).copyFrom(arena.memory.asSlice(matrix.at(), bytes));
        return new MatrixRef(to, matrix.rows(), matrix.columns(), matrix.leading(), matrix.transposed());
    }

    private static double at(TestArena arena, DType type, MatrixRef matrix, int row, int column) {
        int stored = matrix.transposed() ? column * matrix.leading() + row : row * matrix.leading() + column;
        return arena.get(type, matrix.at(), stored);
    }
}
