package dev.remat.runtime.cpu;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.Step;
import java.util.List;

/**
 * The operands and results of a step's one operation as addresses, and the end of the highest range handed to a kernel.
 */
final class Binding {
    private final Step step;
    private final int number;
    private long end;

    /** @param number of the instruction among the step's */
    Binding(Step step, int number) {
        this.step = step;
        this.number = number;
    }

    Instruction instruction() {
        return step.body().instructions().get(number);
    }

    /** One past the highest byte given out so far. */
    long end() {
        return end;
    }

    private MemoryRead read(int operand) {
        if (instruction().operands().get(operand) instanceof Operand.FromMemory memory) {
            return step.reads().get(memory.index());
        }
        throw new IllegalStateException(step.name() + ": operand " + operand + " of "
                + instruction().op().mnemonic() + " is not in memory");
    }

    TensorType operandType(int operand) {
        return read(operand).type();
    }

    List<TensorType> operandTypes() {
        return instruction().operands().stream()
                .map(operand -> ((Operand.FromMemory) operand).index())
                .map(index -> step.reads().get(index).type())
                .toList();
    }

    TensorType resultType(int result) {
        return instruction().types().get(result);
    }

    /** An operand through its strides. */
    TensorView view(int operand) {
        MemoryRead read = read(operand);
        touch(read.offset(), read.bytes());
        return view(read);
    }

    static TensorView view(MemoryRead read) {
        int[] dims = read.view().extents().stream().mapToInt(Math::toIntExact).toArray();
        long[] strides =
                read.view().strides().stream().mapToLong(Long::longValue).toArray();
        return new TensorView(read.dtype(), read.address(), dims, strides);
    }

    /** Address of an operand that lies densely. */
    long dense(int operand) {
        MemoryRead read = read(operand);
        if (!read.view().isContiguous()) {
            throw new IllegalStateException(step.name() + ": operand " + operand + " of "
                    + instruction().op().mnemonic() + " is not dense");
        }
        touch(read.offset(), read.bytes());
        return read.address();
    }

    /** Address of a result; one that nobody reads goes to the workspace's end and is never found there. */
    long result(int result) {
        for (MemoryWrite write : step.writes()) {
            if (write.instruction() == number && write.result() == result) {
                touch(write.offset(), write.bytes());
                return write.offset();
            }
        }
        throw new IllegalStateException(step.name() + ": result " + result + " of "
                + instruction().op().mnemonic() + " has no place in memory");
    }

    boolean hasResult(int result) {
        return step.writes().stream().anyMatch(w -> w.instruction() == number && w.result() == result);
    }

    /** Address of the step's only write. */
    long place() {
        MemoryWrite write = step.writes().getFirst();
        touch(write.offset(), write.bytes());
        return write.offset();
    }

    long workspace(long needed) {
        ByteRange range = step.workspace();
        if (needed > range.bytes()) {
            throw new IllegalStateException(
                    step.name() + ": needs " + needed + " bytes of workspace, the plan has " + range.bytes());
        }
        if (needed > 0) {
            touch(range.offset(), range.bytes());
        }
        return range.offset();
    }

    DType dtype(int operand) {
        return read(operand).dtype();
    }

    private void touch(long offset, long bytes) {
        end = Math.max(end, offset + bytes);
    }
}
