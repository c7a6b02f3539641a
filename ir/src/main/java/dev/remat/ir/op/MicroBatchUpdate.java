package dev.remat.ir.op;

import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Adds what a micro-batch has computed to that of those before it in the step. What it writes over are accumulators,
 * whose content it does not use in micro-batch 0; its last operand is the number of the micro-batch, counting from 0 as
 * an i64 scalar. In a graph that is run for each that is an input, and in one that holds several a constant: there, the
 * accumulator of any but micro-batch 0 is what the update of the one before has left.
 *
 * <p>Where ranks compute micro-batches side by side, a value has an axis in front with those of all ranks: the round of
 * a rank whose micro-batch is {@code k} of {@code n} ranks adds micro-batches {@code k - k % n} and the following, in
 * their order. Then it is the round 0 that does not use what accumulators hold.
 */
public sealed interface MicroBatchUpdate extends AfterLoss, Update permits Accumulate, CombineStatistics {
    /** Operand that is the number of the micro-batch. */
    static int numberIndex(List<?> operands) {
        return operands.size() - 1;
    }

    /** Micro-batches whose values are added at once: those along the axis that a value has in front of its sum's. */
    static int pieces(TensorType sum, TensorType value) {
        return piece(sum, value).equals(value) ? 1 : (int) value.dim(0).value();
    }

    /** What a value of one micro-batch would be. */
    static TensorType piece(TensorType sum, TensorType value) {
        boolean several = value.rank() == sum.rank() + 1 && value.dim(0).isConstant();
        return several ? value.with(new Shape(value.shape().dims().subList(1, value.rank()))) : value;
    }
}
