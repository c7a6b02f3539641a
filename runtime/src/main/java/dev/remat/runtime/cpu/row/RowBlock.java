package dev.remat.runtime.cpu.row;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Sums;
import java.lang.foreign.MemorySegment;

/**
 * Neighbouring rows that are at hand as floats, so many that a loop over all of them is worth it. Of each the largest
 * element and the sum of exponentials depend on the row alone.
 *
 * @param values row by row; likewise one number for each row in {@code shifts} and {@code sums}
 */
record RowBlock(int rows, int columns, float[] values, float[] shifts, double[] sums, Scratch scratch) {
    private static final int BLOCKS_PER_TASK = 8;

    /** What is done with a block. */
    @FunctionalInterface
    interface Work {
        void run(int firstRow, RowBlock block);
    }

    /** Rows of a task. */
    static int perTask(int columns) {
        return BLOCKS_PER_TASK * atOnce(columns);
    }

    private static int atOnce(int columns) {
        return Math.max(1, Scratch.CHUNK / columns);
    }

    /** Takes the rows of a task block by block. */
    static void forEach(int task, int rows, int columns, Scratch scratch, Work work) {
        int end = Math.min(rows, (task + 1) * perTask(columns));
        for (int row = task * perTask(columns); row < end; row += atOnce(columns)) {
            int some = Math.min(atOnce(columns), end - row);
            float[] values = scratch.row(some * columns);
            work.run(row, new RowBlock(some, columns, values, scratch.floats2, scratch.doubles4, scratch));
        }
    }

    void load(MemorySegment arena, DType type, long from) {
        for (int at = 0; at < rows * columns; at += Scratch.CHUNK) {
            int n = Math.min(Scratch.CHUNK, rows * columns - at);
            Elements.load(arena, type, from + (long) at * type.bytes(), values, at, n, scratch);
        }
    }

    void store(MemorySegment arena, DType type, long to) {
        for (int at = 0; at < rows * columns; at += Scratch.CHUNK) {
            int n = Math.min(Scratch.CHUNK, rows * columns - at);
            Elements.store(arena, type, to + (long) at * type.bytes(), values, at, n, scratch);
        }
    }

    /** The largest element of each row becomes its shift. */
    void shiftByLargest() {
        for (int row = 0; row < rows; row++) {
            float max = Float.NEGATIVE_INFINITY;
            for (int i = row * columns; i < (row + 1) * columns; i++) {
                max = Math.max(max, values[i]);
            }
            shifts[row] = max;
        }
    }

    /** exp(x − shift) of each row, in place. */
    void exponentials() {
        for (int row = 0; row < rows; row++) {
            float shift = shifts[row];
            for (int i = row * columns; i < (row + 1) * columns; i++) {
                values[i] -= shift;
            }
        }
        for (int at = 0; at < rows * columns; at += Scratch.CHUNK) {
            scratch.registers.functions.exp(values, at, Math.min(Scratch.CHUNK, rows * columns - at));
        }
    }

    void sum() {
        double[] wide = scratch.doubles2;
        for (int row = 0; row < rows; row++) {
            double sum = 0;
            for (int at = 0; at < columns; at += Scratch.CHUNK) {
                int n = Math.min(Scratch.CHUNK, columns - at);
                Elements.widen(values, row * columns + at, wide, 0, n);
                sum += Sums.of(wide, 0, n);
            }
            sums[row] = sum;
        }
    }

    /** log Σ exp of each row, where its sum is; the elements become something else. */
    void logSumExp() {
        shiftByLargest();
        exponentials();
        sum();
        scratch.registers.functions.transcendentals.log(sums, rows);
        for (int row = 0; row < rows; row++) {
            sums[row] += shifts[row];
        }
    }
}
