package dev.remat.runtime.cpu.gemm;

/**
 * How a batch of matrix products falls into tasks: tiles of C, and for a long inner dimension parts of it whose sums
 * are added in order. A function of the shape alone, because another cut would be another rounding.
 *
 * @param rows rows of a tile of C
 * @param columns columns of a tile of C
 * @param depth inner elements of one part; a multiple of nothing in particular
 */
record GemmTiling(int batch, int m, int n, int k, int rows, int columns, int depth) {
    private static final int WANTED_TASKS = 8;
    private static final long SMALL_TASK = 4L << 20;
    private static final long COARSE_TASK = 16L << 20;
    private static final int SHORTEST_PART = 512;

    /** @param widened operands are copied to f32 tile by tile, so tiles are small and the inner dimension whole */
    static GemmTiling of(int batch, int m, int n, int k, boolean widened) {
        GemmTiling tiling = even(batch, m, n, k, widened ? 128 : 256, widened ? 256 : 512, Math.max(k, 1));
        tiling = tiling.shrunkTo(128, SMALL_TASK);
        if (!widened) {
            int parts = 1;
            while (tiling.tasks() < WANTED_TASKS && k / (2 * parts) >= SHORTEST_PART) {
                parts *= 2;
                tiling = even(batch, m, n, k, tiling.rows, tiling.columns, -(-k / parts));
            }
        }
        return tiling.shrunkTo(64, COARSE_TASK);
    }

    /** Some rows and columns of one matrix of the batch. */
    record Tile(int item, int row, int column, int rows, int columns) {}

    Tile tile(int number) {
        int column = number % columnTiles() * columns;
        int row = number / columnTiles() % rowTiles() * rows;
        int item = number / columnTiles() / rowTiles();
        return new Tile(item, row, column, Math.min(rows, m - row), Math.min(columns, n - column));
    }

    private int rowTiles() {
        return Math.ceilDiv(m, rows);
    }

    private int columnTiles() {
        return Math.ceilDiv(n, columns);
    }

    int parts() {
        return Math.max(1, Math.ceilDiv(k, depth));
    }

    int tasks() {
        return Math.toIntExact((long) batch * rowTiles() * columnTiles() * parts());
    }

    private GemmTiling shrunkTo(int least, long flops) {
        GemmTiling tiling = this;
        while (tiling.tasks() < WANTED_TASKS && 2L * tiling.rows * tiling.columns * tiling.depth > flops) {
            if (tiling.rows >= tiling.columns && tiling.rows > least) {
                tiling = even(batch, m, n, k, Math.max(least, tiling.rows / 2), tiling.columns, depth);
            } else if (tiling.columns > least) {
                tiling = even(batch, m, n, k, tiling.rows, Math.max(least, tiling.columns / 2), depth);
            } else if (tiling.rows > least) {
                tiling = even(batch, m, n, k, Math.max(least, tiling.rows / 2), tiling.columns, depth);
            } else {
                return tiling;
            }
        }
        return tiling;
    }

    /** Tiles of at most the given size, all nearly as large as the first. */
    private static GemmTiling even(int batch, int m, int n, int k, int rows, int columns, int depth) {
        return new GemmTiling(batch, m, n, k, evenPart(m, rows), evenPart(n, columns), Math.min(depth, Math.max(k, 1)));
    }

    private static int evenPart(int whole, int most) {
        if (whole <= most) {
            return Math.max(whole, 1);
        }
        int parts = Math.ceilDiv(whole, most);
        int part = Math.ceilDiv(whole, parts);
        return Math.min(most, part + 15 & ~15);
    }
}
