package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.KernelCall;

/**
 * Results on some rows and columns of images that have zeros on all others, written together.
 *
 * @param pairs whether two neighbours may be written at once
 */
record SpreadPlace(StridedPlace corners, boolean pairs) implements GemmPlace {
    @Override
    public int width() {
        return 1;
    }

    @Override
    public String declare(KernelCall call) {
        return corners.declare(call);
    }

    @Override
    public String output(KernelCall call, String output) {
        call.header("convolution.cuh");
        return "spread<" + (pairs ? 2 : 1) + ">("
                + String.join(
                        ", ",
                        output,
                        call.u32(corners.rows().stride()),
                        call.u32(corners.columns().stride()),
                        call.u32(corners.imageWidth()))
                + ")";
    }
}
