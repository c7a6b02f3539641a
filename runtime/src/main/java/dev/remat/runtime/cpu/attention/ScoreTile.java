package dev.remat.runtime.cpu.attention;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.remat.runtime.cpu.support.TensorView;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Which scores of a tile take part. */
record ScoreTile(AttentionShape shape, Optional<TensorView> mask, int batch, int head) {

    /** Scales scores and puts −∞ where a query does not attend; rows are {@code columns} long, from {@code row} on. */
    void prepare(MemorySegment arena, double[] scores, int row, int rows, int column, int columns) {
        double scale = shape.scale();
        int n = rows * columns;
        for (int i = 0; i < n; i++) {
            scores[i] *= scale;
        }
        for (int i = 0; i < rows; i++) {
            int first = shape.causal() ? Math.max(0, row + i + 1 - column) : columns;
            for (int j = first; j < columns; j++) {
                scores[i * columns + j] = Double.NEGATIVE_INFINITY;
            }
        }
        if (mask.isPresent()) {
            TensorView view = mask.get();
            long[] strides = view.stridesOver(new int[] {shape.batch(), shape.heads(), shape.queries(), shape.keys()});
            long start = view.offset() + batch * strides[0] + head * strides[1] + column * strides[3];
            for (int i = 0; i < rows; i++) {
                long at = start + (row + i) * strides[2];
                for (int j = 0; j < columns; j++) {
                    if (arena.get(JAVA_BYTE, at + j * strides[3]) == 0) {
                        scores[i * columns + j] = Double.NEGATIVE_INFINITY;
                    }
                }
            }
        }
    }
}
