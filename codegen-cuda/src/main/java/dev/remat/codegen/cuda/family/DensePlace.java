package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.KernelCall;

/** Results row by row, batch after batch. */
record DensePlace(long m, long n) implements GemmPlace {
    @Override
    public int width() {
        return GemmPlace.dividing(n);
    }

    @Override
    public String declare(KernelCall call) {
        return "DensePlace{" + call.u32(m) + ", " + call.u32(n) + "}";
    }
}
