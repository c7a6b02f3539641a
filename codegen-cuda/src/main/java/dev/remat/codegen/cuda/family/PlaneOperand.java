package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.ir.DType;

/**
 * Whole images, channels by pixels.
 *
 * @param channels of a group
 * @param totalChannels of all groups
 * @param area pixels of an image
 * @param positionsAlongK whether pixels are summed over; else channels are
 */
record PlaneOperand(DType dtype, long address, long images, long channels, long totalChannels, long area,
        boolean positionsAlongK) implements GemmOperand {
    @Override
    public int chunk() {
        return GemmOperand.chunk(dtype, address, area);
    }

    @Override
    public boolean alongK() {
        return positionsAlongK;
    }

    @Override
    public String declare(KernelCall call) {
        call.header("convolution.cuh");
        return "PlaneOperand<" + CudaType.of(dtype) + ", " + chunk() + ", " + positionsAlongK + ">{"
                + String.join(", ", call.input(dtype, address), call.u32(images * area), call.u32(channels),
                        call.u32(area), call.u64(totalChannels * area), call.u64(Divisor.magic(area)))
                + "}";
    }
}
