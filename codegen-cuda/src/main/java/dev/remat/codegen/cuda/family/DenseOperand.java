package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.ir.DType;

/**
 * A dense row-major matrix per batch.
 *
 * @param address of the first matrix in the arena
 * @param extent m of the left operand, n of the right one
 * @param alongK whether k is the index of the matrix that runs fastest
 */
record DenseOperand(DType dtype, long address, long extent, long k, boolean alongK) implements GemmOperand {
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
                        call.u64(columns()),
                        call.u32(extent),
                        call.u32(k))
                + "}";
    }
}
