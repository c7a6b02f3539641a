package dev.remat.codegen.cuda.family.gemm;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.ir.DType;

/**
 * Where an operand of a product lies, as a struct of {@code gemm.cuh} that tiles read through. Convolutions have more
 * of them.
 */
public interface GemmOperand {
    int MOST_BYTES = 16;

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

    /** Elements that may be read at once where they lie in lines of {@code line} neighbours from {@code address} on. */
    static int chunk(DType dtype, long address, long line) {
        int chunk = MOST_BYTES / dtype.bytes();
        while (chunk > 1 && (line % chunk != 0 || address % ((long) chunk * dtype.bytes()) != 0)) {
            chunk /= 2;
        }
        return chunk;
    }

    /**
     * A dense row-major matrix per batch.
     *
     * @param address of the first matrix in the arena
     * @param extent m of the left operand, n of the right one
     * @param alongK whether k is the index of the matrix that runs fastest
     */
    record Dense(DType dtype, long address, long extent, long k, boolean alongK) implements GemmOperand {
        private long columns() {
            return alongK ? k : extent;
        }

        /** Whole chunks in every row, each aligned to its size. */
        @Override
        public int chunk() {
            return GemmOperand.chunk(dtype, address, columns());
        }

        @Override
        public String declare(KernelCall call) {
            return "DenseOperand<" + CudaType.of(dtype) + ", " + chunk() + ", " + alongK + ">{"
                    + String.join(
                            ", ",
                            call.input(dtype, address),
                            call.u64(Math.multiplyExact(extent, k)),
                            call.u32(columns()),
                            call.u32(extent),
                            call.u32(k))
                    + "}";
        }
    }
}
