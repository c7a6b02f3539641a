package dev.remat.ir.execution;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.Op;
import java.util.List;

/**
 * One operation inside a step.
 *
 * @param types types of the results
 */
public record Instruction(Op op, List<Operand> operands, List<TensorType> types) {
    public Instruction {
        operands = List.copyOf(operands);
        types = List.copyOf(types);
    }
}
