package dev.remat.runtime.cpu.kernel;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;

/** The static types of what an operation reads and makes. */
public record OpTypes(List<TensorType> operands, List<TensorType> results) {
    public TensorType operand(int index) {
        return operands.get(index);
    }

    public DType dtype(int operand) {
        return operand(operand).dtype();
    }

    public TensorType result(int index) {
        return results.get(index);
    }
}
