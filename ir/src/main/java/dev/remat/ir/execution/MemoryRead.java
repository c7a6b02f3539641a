package dev.remat.ir.execution;

import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;

/**
 * A tensor that a step reads.
 *
 * @param value the tensor expected there, an id unique in the plan; a view carries its buffer's id
 * @param offset first byte of the buffer in the arena
 * @param bytes size of the buffer
 * @param view how the tensor lies in the buffer, in elements
 */
public record MemoryRead(int value, long offset, long bytes, DType dtype, StridedView view) {
    /** A whole buffer, dense. */
    public static MemoryRead dense(int value, long offset, TensorType type) {
        return new MemoryRead(value, offset, type.bytes(), type.dtype(), StridedView.dense(type.shape()));
    }

    /** Byte of the arena where element 0 lies. */
    public long address() {
        return offset + view.offset() * dtype.bytes();
    }

    public TensorType type() {
        return new TensorType(dtype, view.shape());
    }
}
