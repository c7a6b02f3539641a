package dev.remat.ir.execution;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.Op;
import java.util.List;
import java.util.Optional;

/** A step as a kernel of one operation sees it: what the operation finds where, and what is fused to it. */
public interface AnchoredStep {
    KernelStep step();

    /** Index of the operation among the step's instructions. */
    int anchor();

    default Instruction instruction() {
        return step().body().instructions().get(anchor());
    }

    default Op op() {
        return instruction().op();
    }

    /**
     * Where operand {@code operand} of the operation lies; it may be strided.
     *
     * @throws IllegalStateException if the step itself makes it
     */
    default MemoryRead read(int operand) {
        if (instruction().operands().get(operand) instanceof Operand.FromMemory(int index)) {
            return step().read(index);
        }
        throw new IllegalStateException(place(operand) + " is not in memory");
    }

    /** Type of an operand, in memory or made by the step's elementwise instructions. */
    default TensorType operandType(int operand) {
        return step().body().type(instruction().operands().get(operand));
    }

    default List<TensorType> operandTypes() {
        return step().body().operandTypes(instruction());
    }

    default TensorType resultType(int result) {
        return instruction().types().get(result);
    }

    /**
     * Address of an operand.
     *
     * @throws IllegalStateException if it does not lie densely
     */
    default long dense(int operand) {
        MemoryRead read = read(operand);
        if (!read.view().isContiguous()) {
            throw new IllegalStateException(place(operand) + " is not dense");
        }
        return read.address();
    }

    private String place(int operand) {
        return step().name() + ": operand " + operand + " of " + op().mnemonic();
    }

    /** Where a result of the operation goes; empty where nobody reads it or the step itself goes on from it. */
    default Optional<MemoryWrite> stored(int result) {
        return step().writes().stream()
                .filter(write -> write.instruction() == anchor() && write.result() == result)
                .findFirst();
    }

    /**
     * Address of a result that is stored.
     *
     * @throws IllegalStateException if it is not, or not as a buffer of its own, row-major
     */
    default long denseResult(int result) {
        MemoryWrite write = stored(result)
                .filter(MemoryWrite::isDense)
                .orElseThrow(() -> new IllegalStateException(
                        step().name() + ": result " + result + " of " + op().mnemonic() + " is not in memory, dense"));
        return write.offset();
    }

    /** Whether a result of the operation is stored. */
    default boolean hasResult(int result) {
        return stored(result).isPresent();
    }

    /** Whether elementwise instructions follow the operation. */
    default boolean hasEpilogue() {
        return step().body().writes().stream().anyMatch(write -> write.instruction() > anchor());
    }

    /**
     * First byte of the step's workspace.
     *
     * @throws IllegalStateException if it has fewer than {@code bytes} bytes
     */
    default long workspace(long bytes) {
        ByteRange range = step().workspace();
        if (bytes > range.bytes()) {
            throw new IllegalStateException(
                    step().name() + ": needs " + bytes + " bytes of workspace, the plan has " + range.bytes());
        }
        return range.offset();
    }
}
