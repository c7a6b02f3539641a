package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.ir.DType;

/**
 * Elements of images that the taps of a kernel meet at its positions, gathered one by one.
 *
 * @param positionsAlongK whether positions are summed over; else taps are
 */
record TapOperand(DType dtype, long address, ConvGrid grid, boolean positionsAlongK) implements GemmOperand {
    @Override
    public int chunk() {
        return 1;
    }

    @Override
    public boolean alongK() {
        return positionsAlongK;
    }

    @Override
    public String declare(KernelCall call) {
        call.header("convolution.cuh");
        return "TapOperand<" + CudaType.of(dtype) + ", " + positionsAlongK + ">{" + call.input(dtype, address) + ", "
                + grid.declare(call) + "}";
    }
}
