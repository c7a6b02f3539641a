package dev.remat.codegen.cuda.family.gemm;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.ir.DType;

/** Where the results of a product go in their tensor, a struct of {@code gemm.cuh}. Convolutions have more of them. */
public interface ResultLayout {
    /** Neighbours in n, from a multiple of this number on, that lie side by side: 1, 2, 4 or 8; it divides n. */
    int width();

    /** Declares what the struct holds as parameters of {@code call} and returns the C++ expression that makes it. */
    String declare(KernelCall call);

    /** What takes the results in the place of {@code output}, both as C++ expressions. */
    default String output(KernelCall call, String output) {
        return output;
    }

    /** Largest power of two up to 8 that divides {@code n}. */
    static int dividing(long n) {
        return (int) Math.min(8, Long.lowestOneBit(n));
    }

    /** Row by row, batch after batch. */
    record Dense(long m, long n) implements ResultLayout {
        @Override
        public int width() {
            return dividing(n);
        }

        @Override
        public String declare(KernelCall call) {
            return "DensePlace{" + call.u32(m) + ", " + call.u32(n) + "}";
        }
    }

    /**
     * Sums over a chunk of rows, as {@link Dense}, that go on from those of the chunk before.
     *
     * @param sum dtype of those
     * @param before where they lie, perhaps where the results go
     */
    record Sums(long m, long n, DType sum, long before) implements ResultLayout {
        @Override
        public int width() {
            return dividing(n);
        }

        @Override
        public String declare(KernelCall call) {
            String dense = new Dense(m, n).declare(call);
            return "SumsPlace<" + CudaType.of(sum) + ">{" + dense + ", " + call.input(sum, before) + "}";
        }
    }
}
