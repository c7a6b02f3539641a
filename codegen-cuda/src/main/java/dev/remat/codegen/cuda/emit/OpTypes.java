package dev.remat.codegen.cuda.emit;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.TensorType;
import java.util.List;

/** All that a kernel's launches and its workspace follow from, beside the operation: static types, and the GPU. */
public record OpTypes(Architecture architecture, List<TensorType> operands, List<TensorType> results) {
    public TensorType operand(int index) {
        return operands.get(index);
    }

    public TensorType result(int index) {
        return results.get(index);
    }
}
