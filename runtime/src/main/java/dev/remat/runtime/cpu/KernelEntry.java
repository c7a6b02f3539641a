package dev.remat.runtime.cpu;

import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import java.util.function.Function;
import java.util.function.IntPredicate;

/**
 * The kernel of an operation and what it takes, whatever the types.
 *
 * @param kernel for operands and results of certain types
 * @param strides which operands it reads through strides; the others must lie dense
 * @param epilogue whether elementwise instructions may follow on its first result
 * @param prologue whether elementwise instructions on its first operand may run in it
 */
record KernelEntry(Function<OpTypes, CpuKernel> kernel, IntPredicate strides, boolean epilogue, boolean prologue) {
    static KernelEntry of(Function<OpTypes, CpuKernel> kernel) {
        return new KernelEntry(kernel, _ -> false, false, false);
    }

    /** For a kernel that needs no workspace, whatever the types. */
    static KernelEntry of(CpuKernel kernel) {
        return of(_ -> kernel);
    }

    KernelEntry strided() {
        return strided(_ -> true);
    }

    KernelEntry strided(IntPredicate operands) {
        return new KernelEntry(kernel, operands, epilogue, prologue);
    }

    KernelEntry withEpilogue() {
        return new KernelEntry(kernel, strides, true, prologue);
    }

    KernelEntry withPrologue() {
        return new KernelEntry(kernel, strides, epilogue, true);
    }
}
