package dev.remat.codegen.cuda.emit;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.execution.AnchoredStep;
import dev.remat.ir.execution.KernelStep;

/**
 * A step as the families of kernels see it: one operation, where its operands and results lie, and what is fused to
 * it.
 *
 * @param number of the step in the plan
 * @param anchor index of the operation among the step's instructions
 * @param random where random draws come from
 */
public record KernelStepBinding(KernelStep step, int number, int anchor, RandomSource random, Emitter emitter)
        implements AnchoredStep {
    public Architecture architecture() {
        return emitter.architecture();
    }

    public CodegenOptions options() {
        return emitter.options();
    }

    public OpTypes types() {
        return new OpTypes(architecture(), operandTypes(), instruction().types());
    }

    /** Launches {@code call} after what the step has launched so far. */
    public void launch(KernelCall call) {
        emitter.launch(number, instruction().location(), call);
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

    /** Address of a result, or {@link ParameterType#NULL} where nobody reads it. */
    public long resultAddress(int result) {
        return hasResult(result) ? denseResult(result) : ParameterType.NULL;
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
        return call.pointer(type, workspace(offset + bytes) + offset);
    }
}
