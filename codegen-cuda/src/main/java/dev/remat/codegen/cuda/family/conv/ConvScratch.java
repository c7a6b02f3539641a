package dev.remat.codegen.cuda.family.conv;

import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.Alignment;

/**
 * How a convolution uses its workspace: partial sums, images in another layout, then filters or other images in another
 * layout; sizes in bytes.
 */
record ConvScratch(long partial, long first, long second) {
    private static final long ALIGNMENT = 256;

    private static long aligned(long bytes) {
        return Alignment.up(bytes, ALIGNMENT);
    }

    private long secondOffset() {
        return aligned(partial) + aligned(first);
    }

    long bytes() {
        return second > 0 ? secondOffset() + second : first > 0 ? aligned(partial) + first : partial;
    }

    long firstAddress(KernelStepBinding step) {
        return address(step, aligned(partial));
    }

    long secondAddress(KernelStepBinding step) {
        return address(step, secondOffset());
    }

    private long address(KernelStepBinding step, long offset) {
        return step.workspace(bytes()) + offset;
    }
}
