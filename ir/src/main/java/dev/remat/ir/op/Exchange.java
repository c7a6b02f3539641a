package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Brings a rank what others have computed, to the bit. Every rank runs the same exchanges in the same order, each with
 * an operand of its own; row {@code j} of the result is what rank {@code j} has sent.
 */
public sealed interface Exchange extends AfterLoss permits GatherShares, ScatterShares {
    /** How many ranks there are, at least 2. */
    int ranks();

    @Override
    default Attributes attributes() {
        return Attributes.NONE.with("ranks", ranks());
    }

    @Override
    default long flops(List<TensorType> operands, List<TensorType> results) {
        return 0;
    }

    /** Bytes that a rank sends to others, and as many come from them. */
    default long sentBytes(TensorType result) {
        return result.bytes() / ranks() * (ranks() - 1);
    }
}
