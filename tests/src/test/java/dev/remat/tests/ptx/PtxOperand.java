package dev.remat.tests.ptx;

import java.util.List;

/** What an instruction of PTX names. */
public sealed interface PtxOperand {
    /**
     * A register of each lane.
     *
     * @param bits that it holds
     */
    record Register(int index, int bits) implements PtxOperand {}

    /** A number, as the bits of the type that reads it. */
    record Immediate(long bits) implements PtxOperand {}

    /** A number that the launch knows: {@code %tid.x}. */
    record Special(String name) implements PtxOperand {}

    /** An array in shared memory, or a parameter. */
    record Symbol(String name) implements PtxOperand {}

    /** A place in memory. */
    record Address(PtxOperand base, long offset) implements PtxOperand {}

    /** Some registers; a result and the predicate beside it, too. */
    record Group(List<PtxOperand> members) implements PtxOperand {
        public Group {
            members = List.copyOf(members);
        }
    }
}
