package dev.remat.ir.execution;

import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;

/**
 * A tensor that a step leaves in memory. Several of one step may lie in one buffer, under its value.
 *
 * @param value the buffer's tensor, an id unique in the plan
 * @param name readable name of the buffer's tensor
 * @param offset first byte of the buffer in the arena
 * @param bytes size of the buffer
 * @param view how the tensor lies in the buffer, in elements
 * @param instruction the instruction that computes it
 * @param result which of that instruction's results
 */
public record MemoryWrite(
        int value,
        String name,
        long offset,
        long bytes,
        TensorType type,
        StridedView view,
        int instruction,
        int result) {
    /** A tensor that is a buffer of its own, row-major. */
    public static MemoryWrite dense(int value, String name, long offset, TensorType type, int instruction, int result) {
        StridedView view = StridedView.dense(type.shape());
        return new MemoryWrite(value, name, offset, type.bytes(), type, view, instruction, result);
    }

    /** Whether the tensor is all of its buffer, row-major. */
    public boolean isDense() {
        return view.offset() == 0 && view.isContiguous() && bytes == type.bytes();
    }

    /** Byte of the arena where element 0 goes. */
    public long address() {
        return offset + view.offset() * type.dtype().bytes();
    }
}
