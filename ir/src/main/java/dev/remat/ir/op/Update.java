package dev.remat.ir.op;

import java.util.List;

/**
 * An operation with an effect that must happen exactly once a step, or once a micro-batch: it overwrites tensors that
 * outlive what computes them.
 */
public sealed interface Update extends Op
        permits Assign, AverageUpdate, ConditionalUpdate, MicroBatchUpdate, OptimizerUpdate, RunningStatistics {
    /** Result {@code result} takes the storage of operand {@code operand}. */
    record Write(int operand, int result) {}

    List<Write> writes();
}
