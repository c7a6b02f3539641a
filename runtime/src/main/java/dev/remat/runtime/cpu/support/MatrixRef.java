package dev.remat.runtime.cpu.support;

/**
 * A matrix in the arena as a factor of a product takes it.
 *
 * @param at byte of the first element
 * @param rows of the matrix that is multiplied, likewise {@code columns}
 * @param leading elements from one stored row to the next
 * @param transposed whether the stored rows are its columns
 */
public record MatrixRef(long at, int rows, int columns, int leading, boolean transposed) {
    public MatrixRef(long at, int rows, int columns, int leading) {
        this(at, rows, columns, leading, false);
    }

    public static MatrixRef dense(long at, int rows, int columns) {
        return new MatrixRef(at, rows, columns, columns);
    }

    public MatrixRef transpose() {
        return new MatrixRef(at, columns, rows, leading, !transposed);
    }

    /** The same with its elements elsewhere, one stored row right after another. */
    public MatrixRef packed(long to) {
        return new MatrixRef(to, rows, columns, storedColumns(), transposed);
    }

    public int storedRows() {
        return transposed ? columns : rows;
    }

    public int storedColumns() {
        return transposed ? rows : columns;
    }
}
