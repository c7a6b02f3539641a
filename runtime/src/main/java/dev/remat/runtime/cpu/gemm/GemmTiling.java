package dev.remat.runtime.cpu.gemm;

/**
 * How a batch of matrix products falls into tasks: tiles of C, and for a long inner dimension parts of it whose sums
 * are added in order. A function of the shape alone, because another cut would be another rounding.
 *
 * <p>One product whose rows may be computed in chunks is cut where chunks may end, each time {@link #RUN} rows are
 * through: tiles of its rows divide that number, and parts of a sum over rows are multiples of it.
 *
 * @param rows rows of a tile of C
 * @param columns columns of a tile of C
 * @param depth inner elements of one part
 * @param chunked which of the extents may be that of a chunk
 */
record GemmTiling(int batch, int m, int n, int k, int rows, int columns, int depth, Rows chunked) {
    private static final int WANTED_TASKS = 8;
    private static final long SMALL_TASK = 4L << 20;
    private static final long COARSE_TASK = 16L << 20;
    private static final int SHORTEST_PART = 512;
    /** Of tiles that are not widened. */
    private static final int MOST_ROWS = 256;

    private static final int MOST_COLUMNS = 512;
    /** Rows after which a chunk of a product may end. */
    static final int RUN = 256;

    /** What the rows of a product that may come in chunks are. */
    enum Rows {
        /** Its own. */
        OUTER,
        /** What it sums over. */
        INNER,
        /** It never comes in chunks. */
        NONE
    }

    /** @param widened operands are copied to f32 tile by tile, so tiles are small and the inner dimension whole */
    static GemmTiling of(int batch, int m, int n, int k, boolean widened, Rows chunked) {
        GemmTiling whole = new GemmTiling(batch, m, n, k, m, n, k, chunked);
        GemmTiling tiling = whole.even(widened ? 128 : MOST_ROWS, widened ? 256 : MOST_COLUMNS, Math.max(k, 1));
        tiling = tiling.shrunkTo(128, SMALL_TASK);
        if (!widened) {
            int parts = 1;
            while (tiling.tasks() < WANTED_TASKS && k / (2 * parts) >= SHORTEST_PART) {
                parts *= 2;
                int depth = k / parts;
                tiling = whole.even(
                        tiling.rows, tiling.columns, chunked == Rows.INNER ? Math.ceilDiv(depth, RUN) * RUN : depth);
            }
        }
        return tiling.shrunkTo(64, COARSE_TASK);
    }

    /**
     * The same parts of sums in larger tiles, of which so few threads have enough: fewer copies of both factors. For
     * kernels that add up an element the same way in all tiles but those of one row or column.
     */
    GemmTiling coarser(int threads) {
        int wanted = threads == 1 ? 1 : 2 * threads;
        GemmTiling tiling = this;
        while (true) {
            boolean taller = tiling.rows < Math.min(m, MOST_ROWS);
            GemmTiling larger = tiling.even(
                    Math.min(taller ? 2 * tiling.rows : tiling.rows, MOST_ROWS),
                    Math.min(taller ? tiling.columns : 2 * tiling.columns, MOST_COLUMNS),
                    depth);
            if (larger.equals(tiling)
                    || larger.tasks() < wanted
                    || tiling.hasSingleRowOrColumn()
                    || larger.hasSingleRowOrColumn()) {
                return tiling;
            }
            tiling = larger;
        }
    }

    private boolean hasSingleRowOrColumn() {
        return rows == 1 || columns == 1 || m % rows == 1 || n % columns == 1;
    }

    /** The same tiles for some of the rows. */
    GemmTiling chunk(int chunkM, int chunkK) {
        return new GemmTiling(batch, chunkM, n, chunkK, rows, columns, depth, chunked);
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
                tiling = even(Math.max(least, tiling.rows / 2), tiling.columns, depth);
            } else if (tiling.columns > least) {
                tiling = even(tiling.rows, Math.max(least, tiling.columns / 2), depth);
            } else if (tiling.rows > least) {
                tiling = even(Math.max(least, tiling.rows / 2), tiling.columns, depth);
            } else {
                return tiling;
            }
        }
        return tiling;
    }

    /** Tiles of at most the given size, all nearly as large as the first where they need not divide a run. */
    private GemmTiling even(int mostRows, int mostColumns, int inner) {
        int tileRows = chunked == Rows.OUTER && m > mostRows ? mostRows : evenPart(m, mostRows);
        return new GemmTiling(
                batch, m, n, k, tileRows, evenPart(n, mostColumns), Math.min(inner, Math.max(k, 1)), chunked);
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
