package dev.remat.tests.ptx;

import java.util.List;

/**
 * One instruction.
 *
 * @param guard number of the predicate that lets a lane take part, −1 where there is none
 * @param negated whether it does so where it is false
 * @param opcode with all its modifiers: {@code ld.global.v4.f32}
 * @param target of a branch, else −1
 * @param text as it was read, for messages
 */
public record PtxInstruction(
        int guard, boolean negated, String opcode, List<PtxOperand> operands, int target, String text) {
    public PtxInstruction {
        operands = List.copyOf(operands);
    }

    /** Whether a modifier is among the opcode's. */
    boolean has(String modifier) {
        return List.of(opcode.split("\\.")).contains(modifier);
    }

    /** The type that the opcode ends in. */
    PtxType type() {
        return PtxType.of(opcode.substring(opcode.lastIndexOf('.') + 1));
    }
}
