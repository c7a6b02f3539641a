package dev.remat.runtime.cpu.attention;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram;
import dev.remat.runtime.cpu.elementwise.StridedRuns;
import dev.remat.runtime.cpu.support.MatrixRef;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.TensorView;
import java.lang.foreign.MemorySegment;

/**
 * Vectors of one head as the rows of a matrix in the arithmetic dtype.
 *
 * @param offset byte of the first row
 * @param elements of a row
 * @param rowStride elements from one row to the next
 */
record HeadMatrix(DType type, long offset, int elements, int rowStride) {

    /** Byte of a row. */
    long row(int row) {
        return offset + (long) row * rowStride * type.bytes();
    }

    MatrixRef rows(int from, int count) {
        return new MatrixRef(row(from), count, elements, rowStride);
    }

    /**
     * Rows of a tensor [batch, heads, rows, elements]: as they lie where that serves, else copied to {@code copy}.
     *
     * @param flatHead counted over the whole batch
     */
    static HeadMatrix of(
            MemorySegment arena, TensorView view, int flatHead, int from, int rows, long copy, Scratch scratch) {
        int batch = flatHead / view.dims()[1];
        int head = flatHead % view.dims()[1];
        DType wide = view.type().accumulator();
        long[] strides = view.strides();
        int elements = view.dims()[3];
        long bytes = view.type().bytes();
        long first = view.offset() + (batch * strides[0] + head * strides[1] + from * strides[2]) * bytes;
        boolean unit = elements == 1 || strides[3] == 1;
        if (wide == view.type() && unit && (rows == 1 || strides[2] >= elements && strides[2] <= Integer.MAX_VALUE)) {
            return new HeadMatrix(wide, first, elements, rows == 1 ? elements : (int) strides[2]);
        }
        TensorView stored =
                new TensorView(view.type(), first, new int[] {rows, elements}, new long[] {strides[2], strides[3]});
        TensorView copied = TensorView.dense(wide, copy, Math.multiplyExact(rows, elements));
        EltwiseProgram.Input input = EltwiseProgram.Input.element(view.type());
        scratch.registers.ensure(1, 1, 0);
        long total = (long) rows * elements;
        for (long at = 0; at < total; at += Scratch.CHUNK) {
            int n = (int) Math.min(Scratch.CHUNK, total - at);
            StridedRuns.load(arena, input, stored, at, n, 0, scratch);
            StridedRuns.store(arena, copied, at, n, 0, scratch);
        }
        return new HeadMatrix(wide, copy, elements, elements);
    }
}
