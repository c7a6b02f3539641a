package dev.remat.codegen.cuda.family.conv;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.family.gemm.GemmOperand;
import dev.remat.ir.DType;

/** What a convolution reads of images, as a struct of {@code convolution.cuh}. */
sealed interface ConvOperand extends GemmOperand {
    /**
     * Whole images {@code [N, C, H, W]}, channels by pixels.
     *
     * @param positionsAlongK whether pixels are summed over; else channels are
     */
    record Planes(DType dtype, long address, ConvGrid grid, boolean positionsAlongK) implements ConvOperand {
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

    /**
     * Elements of images that the taps of a kernel meet at its positions.
     *
     * @param channelsLast whether images are {@code [N, H, W, C]} and neighbours are channels; else they are
     *     {@code [N, C, H, W]} and read one by one
     * @param positionsAlongK whether positions are summed over; else taps are
     */
    record Taps(DType dtype, long address, ConvGrid grid, boolean channelsLast, boolean positionsAlongK)
            implements ConvOperand {
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
            return "TapOperand<" + CudaType.of(dtype) + ", " + chunk() + ", " + channelsLast + ", " + positionsAlongK
                    + ">{" + call.input(dtype, address) + ", " + grid.declare(call, channelsLast) + "}";
        }
    }
}
