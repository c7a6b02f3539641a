package dev.remat.codegen.cuda.emit;

import dev.remat.codegen.cuda.Architecture;
import dev.remat.codegen.cuda.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.Step;
import dev.remat.ir.op.Op;
import java.util.List;

/**
 * A step as the families of kernels see it: one operation, where its operands and results lie, and what is fused to
 * it.
 *
 * @param number of the step in the plan
 * @param anchor index of the operation among the step's instructions
 * @param random where random draws come from
 */
public record StepBinding(Step step, int number, int anchor, RandomSource random, Emitter emitter) {

    public Instruction instruction() {
        return step.body().instructions().get(anchor);
    }

    public Op op() {
        return instruction().op();
    }

    public Architecture architecture() {
        return emitter.architecture();
    }

    public CodegenOptions options() {
        return emitter.options();
    }

    /** Launches {@code call} after what the step has launched so far. */
    public void launch(KernelCall call) {
        emitter.launch(number, instruction().location(), call);
    }

    /** Where operand {@code operand} of the operation lies; it may be strided. */
    public MemoryRead read(int operand) {
        if (instruction().operands().get(operand) instanceof Operand.FromMemory memory) {
            return step.reads().get(memory.index());
        }
        throw new IllegalStateException(
                step.name() + ": operand " + operand + " of " + op().mnemonic() + " is not in memory");
    }

    /** Type of an operand, in memory or made by the step's elementwise instructions. */
    public TensorType operandType(int operand) {
        return step.body().type(instruction().operands().get(operand));
    }

    public List<TensorType> operandTypes() {
        return step.body().operandTypes(instruction());
    }

    public TensorType resultType(int result) {
        return instruction().types().get(result);
    }

    /** Address of an operand that lies densely. */
    public long dense(int operand) {
        MemoryRead read = read(operand);
        if (!read.view().isContiguous()) {
            throw new IllegalStateException(
                    step.name() + ": operand " + operand + " of " + op().mnemonic() + " is not dense");
        }
        return read.address();
    }

    /** Whether an operand that lies densely begins where 16 bytes may be moved at once. */
    public boolean isAligned(int operand) {
        return dense(operand) % 16 == 0;
    }

    /** Declares a dense operand as a parameter of {@code call} and returns its name. */
    public String input(KernelCall call, int operand) {
        return call.input(operandType(operand).dtype(), dense(operand));
    }

    /** Declares a result as a parameter of {@code call} and returns its name; null where nobody reads it. */
    public String result(KernelCall call, int result) {
        return call.output(resultType(result).dtype(), resultAddress(result));
    }

    public boolean hasResult(int result) {
        return resultAddress(result) != ParameterType.NULL;
    }

    /** Address of a result, or {@link ParameterType#NULL} where nobody reads it. */
    public long resultAddress(int result) {
        for (MemoryWrite write : step.writes()) {
            if (write.instruction() == anchor && write.result() == result) {
                return write.offset();
            }
        }
        return ParameterType.NULL;
    }

    /** Whether elementwise instructions follow the operation. */
    public boolean hasEpilogue() {
        return step.writes().stream().anyMatch(write -> write.instruction() != anchor);
    }

    /**
     * An Output functor for the operation's first result: it rounds, goes through what is fused and writes.
     *
     * @return the C++ expression that makes it, of parameters declared in {@code call}
     */
    public String output(KernelCall call) {
        if (!hasEpilogue()) {
            DType type = resultType(0).dtype();
            return "Store<" + CudaType.of(type) + ">{" + call.output(type, resultAddress(0)) + "}";
        }
        return ElementwiseBody.epilogue(this).declare(call);
    }

    /** Declares an address in the step's workspace, {@code offset} bytes from its beginning. */
    public String workspace(KernelCall call, String type, long offset, long bytes) {
        if (offset + bytes > step.workspace().bytes()) {
            throw new IllegalStateException(step.name() + ": needs " + (offset + bytes)
                    + " bytes of workspace, the plan has " + step.workspace().bytes());
        }
        return call.pointer(type, step.workspace().offset() + offset);
    }
}
