package dev.remat.runtime.cpu.row;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import java.lang.foreign.MemorySegment;

/**
 * What normalizes a row of exponentials of f64.
 *
 * @param max the largest element
 * @param sum Σ exp(x − max)
 */
public record LogSumExp(double max, double sum) {

    double value() {
        return max + StrictMath.log(sum);
    }

    static LogSumExp of(MemorySegment arena, long row, int columns) {
        double max = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < columns; i++) {
            max = Math.max(max, Elements.get(arena, DType.F64, row + 8L * i));
        }
        double sum = 0;
        for (int i = 0; i < columns; i++) {
            sum += StrictMath.exp(Elements.get(arena, DType.F64, row + 8L * i) - max);
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
}
