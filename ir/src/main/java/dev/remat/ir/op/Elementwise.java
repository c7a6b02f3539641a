package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;

/**
 * An operation whose result at an index depends on its operands at the same index alone, so that it can be fused into
 * its neighbours. Operands have the rank of the result; an extent of 1 against a larger one is repeated.
 */
public sealed interface Elementwise extends Op
        permits Cast,
                Clamp,
                Contiguous,
                Draw,
                Dropout,
                DropoutGradient,
                LeakyRelu,
                Literal,
                Normalize,
                Pointwise,
                UnaryGradient {
    /** Linear in nothing, unless the operation says so. */
    @Override
    default List<BatchRole> batchRoles(BatchOperands operands) {
        return List.of(operands.nonlinear("applies " + mnemonic() + " to a mean over the batch"));
    }

    /** One operation an element. */
    @Override
    default long flops(List<TensorType> operands, List<TensorType> results) {
        return results.getFirst().elements();
    }
}
