package dev.remat.compiler.elaborate;

import dev.remat.compiler.builtin.SemanticError;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;

/** How large a tensor may be. */
final class TensorLimits {
    private static final int HIGHEST_RANK = 8;
    /** Kernels count along an axis in 32 bits. */
    private static final long LARGEST_DIM = Integer.MAX_VALUE;

    private static final int LARGEST_ELEMENT = 8;

    private TensorLimits() {}

    /**
     * @throws SemanticError if the rank or an extent that is a number is too large (E0305), or one is 0 or less (E0306)
     * @throws ArithmeticException if the tensor has too many bytes
     */
    static void check(TensorType type) {
        if (type.rank() > HIGHEST_RANK) {
            throw new SemanticError("E0305", type + " has a higher rank than " + HIGHEST_RANK);
        }
        long elements = 1;
        for (Dim dim : type.shape().dims()) {
            if (dim.isConstant()) {
                if (dim.value() < 1) {
                    throw new SemanticError("E0306", "extent " + dim + " of " + type.shape() + " is not positive");
                }
                if (dim.value() > LARGEST_DIM) {
                    throw new SemanticError(
                            "E0305", "extent " + dim + " of " + type + " is larger than " + LARGEST_DIM);
                }
                elements = Math.multiplyExact(elements, dim.value());
            }
        }
        Math.multiplyExact(elements, LARGEST_ELEMENT);
    }

    /** Whether a tensor of that type is not empty, and within the limits. */
    static boolean allow(TensorType type) {
        double elements = 1;
        for (Dim dim : type.shape().dims()) {
            if (dim.isConstant()) {
                if (dim.value() < 1 || dim.value() > LARGEST_DIM) {
                    return false;
                }
                elements *= dim.value();
            }
        }
        return type.rank() <= HIGHEST_RANK && elements * LARGEST_ELEMENT < Long.MAX_VALUE;
    }
}
