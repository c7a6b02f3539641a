package dev.remat.runtime.executor;

import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.Step;
import dev.remat.runtime.cpu.TensorView;

/** Types and addresses of what an anchor reads and writes. */
final class AnchorOperands {
    private final Step step;
    private final Instruction instruction;
    private final boolean epilogue;

    /** @param epilogue whether the first result goes to the place of the step's only write for others to read */
    AnchorOperands(Step step, Instruction instruction, boolean epilogue) {
        this.step = step;
        this.instruction = instruction;
        this.epilogue = epilogue;
    }

    int count() {
        return instruction.operands().size();
    }

    TensorType type(int operand) {
        return read(operand).type();
    }

    /** Byte of the arena where an operand begins. */
    long at(int operand) {
        return read(operand).address();
    }

    int[] dims(int operand) {
        return Extents.of(type(operand).shape());
    }

    /** The operand with the strides at which it lies. */
    TensorView view(int operand) {
        MemoryRead read = read(operand);
        int[] dims = dims(operand);
        return new TensorView(read.dtype(), at(operand), dims, Extents.strides(read.view(), dims));
    }

    TensorType resultType(int result) {
        return instruction.types().get(result);
    }

    int[] resultDims(int result) {
        return Extents.of(resultType(result).shape());
    }

    /** Byte of the arena where a result begins. */
    long resultAt(int result) {
        if (epilogue) {
            return step.writes().getFirst().offset();
        }
        for (MemoryWrite write : step.writes()) {
            if (write.result() == result) {
                return write.offset();
            }
        }
        throw new IllegalStateException(step.name() + " does not store result " + result);
    }

    long workspace() {
        return step.workspace().offset();
    }

    private MemoryRead read(int operand) {
        if (instruction.operands().get(operand) instanceof Operand.FromMemory memory) {
            return step.reads().get(memory.index());
        }
        throw new IllegalStateException(step.name() + " reads operand " + operand + " from no memory");
    }
}
