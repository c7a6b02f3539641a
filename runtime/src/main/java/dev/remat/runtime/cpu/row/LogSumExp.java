package dev.remat.runtime.cpu.row;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Sums;
import java.lang.foreign.MemorySegment;

/**
 * What normalizes a row of exponentials.
 *
 * @param max the largest element
 * @param sum Σ exp(x − max)
 */
public record LogSumExp(double max, double sum) {

    double value() {
        return max + StrictMath.log(sum);
    }

    static LogSumExp of(MemorySegment arena, DType type, long row, int columns, Scratch scratch) {
        double[] values = scratch.doubles2;
        double max = Double.NEGATIVE_INFINITY;
        for (int at = 0; at < columns; at += Scratch.CHUNK) {
            int n = Math.min(Scratch.CHUNK, columns - at);
            Elements.load(arena, type, row + (long) at * type.bytes(), values, 0, n, scratch);
            max = largest(values, n, max);
        }
        double sum = 0;
        for (int at = 0; at < columns; at += Scratch.CHUNK) {
            int n = Math.min(Scratch.CHUNK, columns - at);
            Elements.load(arena, type, row + (long) at * type.bytes(), values, 0, n, scratch);
            exponentials(values, n, max, type, scratch);
            sum += Sums.of(values, 0, n);
        }
        return new LogSumExp(max, sum);
    }

    /** exp(x − shift), in place. */
    public static void exponentials(double[] values, int n, double shift, DType type, Scratch scratch) {
        for (int i = 0; i < n; i++) {
            values[i] -= shift;
        }
        if (type == DType.F64) {
            for (int i = 0; i < n; i++) {
                values[i] = StrictMath.exp(values[i]);
            }
        } else {
            scratch.registers.functions.transcendentals.exp(values, n);
        }
    }

    private static double largest(double[] values, int n, double start) {
        double a = start;
        double b = start;
        double c = start;
        double d = start;
        int i = 0;
        for (; i + 3 < n; i += 4) {
            a = Math.max(a, values[i]);
            b = Math.max(b, values[i + 1]);
            c = Math.max(c, values[i + 2]);
            d = Math.max(d, values[i + 3]);
        }
        for (; i < n; i++) {
            a = Math.max(a, values[i]);
        }
        return Math.max(Math.max(a, b), Math.max(c, d));
    }
}
