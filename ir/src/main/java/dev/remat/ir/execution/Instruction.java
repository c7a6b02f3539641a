package dev.remat.ir.execution;

import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.op.Op;
import java.util.List;

/**
 * One operation inside a step.
 *
 * @param types types of the results
 * @param location the call in the model file
 */
public record Instruction(Op op, List<Operand> operands, List<TensorType> types, Location location) {
    public Instruction {
        operands = List.copyOf(operands);
        types = List.copyOf(types);
    }

    /** An operation that no model file mentions. */
    public Instruction(Op op, List<Operand> operands, List<TensorType> types) {
        this(op, operands, types, Location.NONE);
    }
}
