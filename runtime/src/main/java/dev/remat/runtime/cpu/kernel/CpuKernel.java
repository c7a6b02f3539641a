package dev.remat.runtime.cpu.kernel;

import dev.remat.ir.execution.KernelStep;
import java.util.function.Function;

/**
 * The kernel of one operation on operands of certain types. Planning asks the same kernel for its workspace that is
 * bound to a step.
 *
 * @param workspaceBytes scratch memory while it runs; does not depend on the machine
 * @param binder resolves its addresses
 */
public record CpuKernel(long workspaceBytes, Function<Binding, BoundKernelStep> binder) {
    /** A kernel without workspace. */
    public CpuKernel(Function<Binding, BoundKernelStep> binder) {
        this(0, binder);
    }

    /** @throws IllegalStateException if the step has less workspace than the kernel needs */
    public BoundKernelStep bind(KernelStep step) {
        return binder.apply(Binding.of(step, workspaceBytes));
    }
}
