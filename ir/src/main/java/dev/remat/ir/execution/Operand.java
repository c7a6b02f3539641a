package dev.remat.ir.execution;

/** What an {@link Instruction} reads. */
public sealed interface Operand {
    /** Entry {@code index} of {@link KernelStep#reads}. */
    record FromMemory(int index) implements Operand {}

    /** Result {@code result} of the earlier instruction {@code instruction} of the same step. */
    record FromInstruction(int instruction, int result) implements Operand {}

    /** The seed of this step at {@code ordinal}, folded from the random chain. */
    record FromSeed(int ordinal) implements Operand {}
}
