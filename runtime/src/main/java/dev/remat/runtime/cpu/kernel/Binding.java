package dev.remat.runtime.cpu.kernel;

import dev.remat.ir.DType;
import dev.remat.ir.execution.AnchoredStep;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.TensorView;

/**
 * The operands and results of a step's one operation as addresses.
 *
 * @param workspace first byte of what its kernel has asked for
 */
public record Binding(KernelStep step, int anchor, long workspace) implements AnchoredStep {
    static Binding of(KernelStep step, long workspaceBytes) {
        Binding unclaimed = new Binding(step, step.body().anchor(), Elements.NONE);
        return new Binding(step, unclaimed.anchor, unclaimed.workspace(workspaceBytes));
    }

    public DType dtype(int operand) {
        return operandType(operand).dtype();
    }

    /** An operand through its strides. */
    public TensorView view(int operand) {
        return view(read(operand));
    }

    public static TensorView view(MemoryRead read) {
        int[] dims = read.view().extents().stream().mapToInt(Math::toIntExact).toArray();
        long[] strides =
                read.view().strides().stream().mapToLong(Long::longValue).toArray();
        return new TensorView(read.dtype(), read.address(), dims, strides);
    }

    /** Address of a result that may not be wanted, then {@link Elements#NONE}. */
    public long resultIfStored(int result) {
        return hasResult(result) ? denseResult(result) : Elements.NONE;
    }

    /** Where the first result goes: what is fused goes on from there. */
    public long output() {
        return hasEpilogue() ? step.writes().getFirst().offset() : denseResult(0);
    }
}
