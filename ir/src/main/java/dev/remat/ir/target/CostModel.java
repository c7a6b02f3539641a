package dev.remat.ir.target;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.Op;
import java.util.List;

/** Time that planning charges for work. */
public interface CostModel {
    /** Names the model in reports: {@code unit}, {@code roofline:cpu}. */
    String name();

    /**
     * Cost of a fused kernel.
     *
     * @param flops floating point operations of all operations in it
     * @param bytes memory read and written
     * @param anchor the operation that dominates the kernel
     * @return nanoseconds, or abstract units, at least 1
     */
    long cost(long flops, long bytes, Op anchor, List<TensorType> results);
}
