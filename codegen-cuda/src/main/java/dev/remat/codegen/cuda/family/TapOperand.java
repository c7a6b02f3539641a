package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.ir.DType;

/**
 * Elements of images that the taps of a kernel meet at its positions.
 *
 * @param channelsLast whether images are {@code [N, H, W, C]} and neighbours are channels; else they are
 *     {@code [N, C, H, W]} and read one by one
 * @param positionsAlongK whether positions are summed over; else taps are
 */
record TapOperand(DType dtype, long address, ConvGrid grid, boolean channelsLast, boolean positionsAlongK)
        implements GemmOperand {
    @Override
    public int chunk() {
        return channelsLast ? GemmOperand.chunk(dtype, address, grid.channels()) : 1;
    }

    @Override
    public boolean alongK() {
        return positionsAlongK != channelsLast;
    }

    @Override
    public String declare(KernelCall call) {
        call.header("convolution.cuh");
        return "TapOperand<" + CudaType.of(dtype) + ", " + chunk() + ", " + channelsLast + ", " + positionsAlongK + ">{"
                + call.input(dtype, address) + ", " + grid.declare(call, channelsLast) + "}";
    }
}
