package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.ir.DType;

/**
 * Whole images {@code [N, C, H, W]}, channels by pixels.
 *
 * @param positionsAlongK whether pixels are summed over; else channels are
 */
record PlaneOperand(DType dtype, long address, ConvGrid grid, boolean positionsAlongK) implements GemmOperand {
    private long area() {
        return grid.height() * grid.width();
    }

    @Override
    public int chunk() {
        return GemmOperand.chunk(dtype, address, area());
    }

    @Override
    public boolean alongK() {
        return positionsAlongK;
    }

    @Override
    public String declare(KernelCall call) {
        call.header("convolution.cuh");
        return "PlaneOperand<" + CudaType.of(dtype) + ", " + chunk() + ", " + positionsAlongK + ">{"
                + String.join(
                        ", ",
                        call.input(dtype, address),
                        call.u32(grid.positions()),
                        call.u32(grid.channels()),
                        call.u32(area()),
                        call.u64(grid.totalChannels() * area()),
                        call.u64(Divisor.magic(area())))
                + "}";
    }
}
