package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.StepBinding;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Pad;

/** Concatenation and padding. */
final class CopyKernels {
    private CopyKernels() {}

    static void concat(Concat op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static void pad(Pad op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }
}
