package dev.remat.ir.execution;

import dev.remat.ir.Role;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import java.util.List;

/**
 * One kernel: instructions that run as a whole between memory and memory.
 *
 * <p>A step is of one of three forms. <em>Elementwise</em>: every instruction is elementwise over one iteration shape.
 * <em>Reduction</em>: elementwise instructions followed by one reduction of their result. <em>Anchored</em>: one other
 * operation, perhaps followed by elementwise instructions on its first result, whose type is that of the only write;
 * such a kernel may compute the operation into the write's place and go on from there.
 *
 * @param name of the tensor it makes; clones carry their original's name and a mark
 * @param recomputed whether it repeats work
 * @param workspace scratch of the kernel; empty range where it needs none
 * @param freed ranges whose content is dead once the step has run
 */
public record Step(
        String name,
        Role role,
        Location location,
        boolean recomputed,
        List<Instruction> body,
        List<MemoryRead> reads,
        List<MemoryWrite> writes,
        ByteRange workspace,
        List<ByteRange> freed) {
    public Step {
        body = List.copyOf(body);
        reads = List.copyOf(reads);
        writes = List.copyOf(writes);
        freed = List.copyOf(freed);
    }

    /** Type of what one of the step's instructions reads. */
    public TensorType type(Operand operand) {
        return switch (operand) {
            case Operand.FromMemory(int index) -> reads.get(index).type();
            case Operand.FromInstruction(int instruction, int result) ->
                body.get(instruction).types().get(result);
            case Operand.FromSeed _ -> TensorType.SEED;
        };
    }

    /** Types of all that {@code instruction} reads. */
    public List<TensorType> operandTypes(Instruction instruction) {
        return instruction.operands().stream().map(this::type).toList();
    }
}
