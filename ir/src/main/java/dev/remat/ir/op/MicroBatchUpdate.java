package dev.remat.ir.op;

import java.util.List;

/**
 * Adds what a micro-batch has computed to that of those before it in the step. What it writes over are accumulators,
 * whose content it does not use in micro-batch 0; its last operand is the number of the micro-batch, counting from 0 as
 * an i64 scalar. In a graph that is run for each that is an input, and in one that holds several a constant: there, the
 * accumulator of any but micro-batch 0 is what the update of the one before has left.
 */
public sealed interface MicroBatchUpdate extends AfterLoss, Update permits Accumulate, CombineStatistics {
    /** Operand that is the number of the micro-batch. */
    static int numberIndex(List<?> operands) {
        return operands.size() - 1;
    }
}
