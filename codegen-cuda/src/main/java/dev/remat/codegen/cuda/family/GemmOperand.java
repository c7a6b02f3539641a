package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.KernelCall;

/** Where an operand of a product lies, as a struct of {@code gemm.cuh} that tiles read through. */
interface GemmOperand {
    /** Elements that are read at once. */
    int chunk();

    /** Whether elements that are read at once differ in the index that is summed over. */
    boolean alongK();

    /** Declares what the struct holds as parameters of {@code call} and returns the C++ expression that makes it. */
    String declare(KernelCall call);

    /** {@code t} where k is not the index that runs fastest in a, or is so in b; for the readable part of a symbol. */
    static String layout(GemmOperand a, GemmOperand b) {
        return (a.alongK() ? "n" : "t") + (b.alongK() ? "t" : "n");
    }
}
