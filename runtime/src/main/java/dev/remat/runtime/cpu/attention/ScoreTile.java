package dev.remat.runtime.cpu.attention;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.TensorView;
import java.lang.foreign.MemorySegment;

/** What products of queries and keys become before softmax, and which of them take part. */
record ScoreTile(AttentionShape shape, AttentionOperands in, int batch, int head) {

    /**
     * Scales products, adds the bias and puts −∞ where a query does not attend; rows are {@code columns} long, from
     * {@code row} on.
     */
    void prepare(MemorySegment arena, ScoreRows scores, int row, int rows, int column, int columns) {
        scores.scale(shape.scale(), rows * columns);
        if (in.bias().isPresent()) {
            TensorView view = in.bias().get();
            long[] strides = strides(view);
            int bytes = view.type().bytes();
            for (int i = 0; i < rows; i++) {
                long at = view.offset() + start(strides, row + i, column) * bytes;
                for (int j = 0; j < columns; j++) {
                    scores.add(i * columns + j, Elements.get(arena, view.type(), at + j * strides[3] * bytes));
                }
            }
        }
        for (int i = 0; i < rows; i++) {
            int end = shape.causal() ? Math.clamp(row + i + 1L - column, 0, columns) : columns;
            scores.fill(i * columns + end, (i + 1) * columns, Double.NEGATIVE_INFINITY);
        }
        if (in.mask().isPresent()) {
            TensorView view = in.mask().get();
            long[] strides = strides(view);
            for (int i = 0; i < rows; i++) {
                long at = view.offset() + start(strides, row + i, column);
                for (int j = 0; j < columns; j++) {
                    if (arena.get(JAVA_BYTE, at + j * strides[3]) == 0) {
                        scores.fill(i * columns + j, i * columns + j + 1, Double.NEGATIVE_INFINITY);
                    }
                }
            }
        }
    }

    private long[] strides(TensorView view) {
        return view.stridesOver(new int[] {shape.batch(), shape.heads(), shape.queries(), shape.keys()});
    }

    /** Which element belongs to a query and a key of this head. */
    private long start(long[] strides, int query, int key) {
        return batch * strides[0] + head * strides[1] + query * strides[2] + key * strides[3];
    }
}
