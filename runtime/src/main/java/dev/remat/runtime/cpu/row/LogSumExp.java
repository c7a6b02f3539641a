package dev.remat.runtime.cpu.row;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.Elements;
import java.lang.foreign.MemorySegment;

/**
 * What normalizes a row of exponentials of f64.
 *
 * @param max the largest element
 * @param sum Σ exp(x − max)
 */
record LogSumExp(double max, double sum) {

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
}
