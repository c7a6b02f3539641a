package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;

/**
 * Results that fill whole images: m is the channel of a group, n the pixel among those of all images.
 *
 * @param channels of all groups
 * @param area pixels of an image
 */
record PlanePlace(long channels, long groupChannels, long area) implements GemmPlace {
    @Override
    public int width() {
        return GemmPlace.dividing(area);
    }

    @Override
    public String declare(KernelCall call) {
        call.header("convolution.cuh");
        return "PlanePlace{"
                + String.join(
                        ", ",
                        call.u32(channels),
                        call.u32(groupChannels),
                        call.u32(area),
                        call.u64(Divisor.magic(area)))
                + "}";
    }
}
