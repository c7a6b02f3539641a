package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;

/**
 * Results on some rows and columns of images: m is the channel of a group, n the position on the grid of all images.
 *
 * @param channels of all groups
 * @param height rows of the images, likewise {@code imageWidth}
 */
record StridedPlace(long channels, long groupChannels, long height, long imageWidth, ConvPhase rows, ConvPhase columns)
        implements GemmPlace {
    @Override
    public int width() {
        return 1;
    }

    @Override
    public String declare(KernelCall call) {
        call.header("convolution.cuh");
        long area = rows.count() * columns.count();
        return "StridedPlace{"
                + String.join(
                        ", ",
                        call.u32(channels),
                        call.u32(groupChannels),
                        call.u32(columns.count()),
                        call.u32(area),
                        call.u32(height),
                        call.u32(imageWidth),
                        call.u32(rows.first()),
                        call.u32(columns.first()),
                        call.u32(rows.stride()),
                        call.u32(columns.stride()),
                        call.u64(Divisor.magic(columns.count())),
                        call.u64(Divisor.magic(area)))
                + "}";
    }
}
