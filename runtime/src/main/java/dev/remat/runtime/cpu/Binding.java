package dev.remat.runtime.cpu;

import dev.remat.ir.DType;
import dev.remat.ir.execution.AnchoredStep;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.runtime.cpu.support.TensorView;

/**
 * The operands and results of a step's one operation as addresses, and the end of the highest range handed to a kernel.
 */
final class Binding implements AnchoredStep {
    private final KernelStep step;
    private final int anchor;
    private long end;

    Binding(KernelStep step) {
        this.step = step;
        this.anchor = step.body().anchor();
    }

    @Override
    public KernelStep step() {
        return step;
    }

    @Override
    public int anchor() {
        return anchor;
    }

    /** One past the highest byte given out so far. */
    long end() {
        return end;
    }

    DType dtype(int operand) {
        return operandType(operand).dtype();
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

    @Override
    public long dense(int operand) {
        MemoryRead read = read(operand);
        touch(read.offset(), read.bytes());
        return AnchoredStep.super.dense(operand);
    }

    /**
     * Address of a result.
     *
     * @throws IllegalStateException if it is not stored
     */
    long result(int result) {
        denseResult(result);
        return given(stored(result).orElseThrow());
    }

    /** Address of the step's only write. */
    long address() {
        return given(step.writes().getFirst());
    }

    private long given(MemoryWrite write) {
        touch(write.offset(), write.bytes());
        return write.offset();
    }

    @Override
    public long workspace(long bytes) {
        long offset = AnchoredStep.super.workspace(bytes);
        if (bytes > 0) {
            touch(offset, step.workspace().bytes());
        }
        return offset;
    }

    private void touch(long offset, long bytes) {
        end = Math.max(end, offset + bytes);
    }
}
