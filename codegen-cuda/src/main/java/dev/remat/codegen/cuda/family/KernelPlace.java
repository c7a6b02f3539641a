package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;

/** Elements of a convolution's kernels {@code [O, C, h, w]} where n counts channels fastest. */
record KernelPlace(ConvShape shape) implements GemmPlace {
    @Override
    public int width() {
        return 1;
    }

    @Override
    public String declare(KernelCall call) {
        call.header("convolution.cuh");
        return "KernelPlace{"
                + String.join(
                        ", ",
                        call.u32(shape.groupInputs()),
                        call.u32(shape.groupOutputs()),
                        call.u32(shape.taps()),
                        call.u64(Divisor.magic(shape.groupInputs())))
                + "}";
    }
}
