package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;

/**
 * An operation with an effect that must happen exactly once a step, or once a micro-batch: it overwrites tensors that
 * outlive what computes them.
 */
public sealed interface Update extends Op
        permits Assign, ConditionalUpdate, MicroBatchUpdate, ElementwiseUpdate, RunningStatistics, UpdateRows {
    /** Result {@code result} takes the storage of operand {@code operand}. */
    record Write(int operand, int result) {}

    List<Write> writes();

    /** Bytes of operands and results that are neither read nor written, although their tensors are. */
    default long bytesPassedOver(List<TensorType> operands) {
        return 0;
    }
}
