package dev.remat.ir.op;

import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import java.util.List;

/**
 * A tensor that follows from where an element lies, without operands: whatever reads it computes it, so that it takes
 * no memory.
 */
public sealed interface Literal extends Elementwise permits Constant, Iota, Table {
    TensorType type();

    /** Whether {@link #through} is defined, as it is for what models say. */
    boolean isFlat();

    /** What is seen of it through {@code view}, which gives a tensor of {@code type}. */
    Literal through(StridedView view, TensorType type);

    @Override
    default List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 0);
        return List.of(type());
    }

    /** Elements that do not depend on the row. */
    @Override
    default List<BatchRole> batchRoles(BatchOperands operands) {
        return List.of(operands.alike(type()));
    }

    @Override
    default long flops(List<TensorType> operands, List<TensorType> results) {
        return 0;
    }
}
