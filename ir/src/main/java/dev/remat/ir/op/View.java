package dev.remat.ir.op;

import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import java.util.Optional;

/** An operation that only renames elements: it owns no storage wherever its reader can follow strides. */
public sealed interface View extends Op permits Broadcast, Reshape, Slice, StopGradient, Transpose {
    /**
     * The view of a buffer that results from applying this to {@code operand}, a view of that buffer; empty where no
     * strides express it. Shapes must be static.
     */
    Optional<StridedView> through(StridedView operand);

    /** The view that makes of the result what the operand is; empty where elements were left out or repeated. */
    default Optional<View> inverse(Shape operand) {
        return Optional.empty();
    }
}
