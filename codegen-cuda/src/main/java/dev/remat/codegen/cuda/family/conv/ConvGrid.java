package dev.remat.codegen.cuda.family.conv;

import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;

/**
 * How a grid of positions lies on images: tap (r, s) of position (i, j) meets pixel (i·strideH + originH + r·stepH,
 * j·strideW + originW + s·stepW) of each channel.
 *
 * @param channels of a group
 * @param totalChannels of all groups
 * @param gridHeight rows of positions on one image, likewise {@code gridWidth}
 * @param height rows of the images, likewise {@code width}
 * @param rows positions and steps from one to the next, down
 * @param columns the same across
 */
record ConvGrid(
        long images,
        long channels,
        long totalChannels,
        long gridHeight,
        long gridWidth,
        long height,
        long width,
        Axis rows,
        Axis columns) {
    /**
     * One direction.
     *
     * @param taps elements of the filter
     * @param stride pixels from one position to the next
     * @param origin pixel that the first tap meets at the first position, perhaps outside
     * @param step pixels from one tap to the next, perhaps backwards
     */
    record Axis(long taps, long stride, long origin, long step) {
        private boolean isWhole() {
            return taps == 1 && stride == 1 && origin == 0;
        }
    }

    /** The pixels of a convolution's outputs themselves. */
    static ConvGrid outputs(ConvShape shape) {
        Axis one = new Axis(1, 1, 0, 1);
        return new ConvGrid(
                shape.images(),
                shape.groupOutputs(),
                shape.outputs(),
                shape.outHeight(),
                shape.outWidth(),
                shape.outHeight(),
                shape.outWidth(),
                one,
                one);
    }

    /** What a convolution's outputs read. */
    static ConvGrid forward(ConvShape shape) {
        var geometry = shape.geometry();
        return new ConvGrid(
                shape.images(),
                shape.groupInputs(),
                shape.inputs(),
                shape.outHeight(),
                shape.outWidth(),
                shape.height(),
                shape.width(),
                new Axis(shape.filterH(), geometry.strideH(), -geometry.paddingH(), geometry.dilationH()),
                new Axis(shape.filterW(), geometry.strideW(), -geometry.paddingW(), geometry.dilationW()));
    }

    long positions() {
        return images * gridHeight * gridWidth;
    }

    long elements() {
        return images * totalChannels * height * width;
    }

    /** Whether positions are the pixels and every one meets its own alone. */
    boolean isWhole() {
        return rows.isWhole() && columns.isWhole() && gridHeight == height && gridWidth == width;
    }

    String declare(KernelCall call, boolean channelsLast) {
        long taps = rows.taps * columns.taps;
        return KernelCall.struct(
                "ConvGrid",
                call.u32(positions()),
                call.u32(channels),
                call.u32(totalChannels),
                call.u32(gridWidth),
                call.u32(gridHeight * gridWidth),
                call.u32(height),
                call.u32(width),
                call.u32(columns.taps),
                call.u32(taps),
                call.u32(rows.stride),
                call.u32(columns.stride),
                modular(call, rows.origin),
                modular(call, columns.origin),
                modular(call, rows.step),
                modular(call, columns.step),
                call.u64(totalChannels * height * width),
                call.u64(Divisor.magic(gridWidth)),
                call.u64(Divisor.magic(gridHeight * gridWidth)),
                call.u64(Divisor.magic(columns.taps)),
                call.u64(Divisor.magic(channelsLast ? channels : taps)));
    }

    private static String modular(KernelCall call, long value) {
        return call.u32(value & 0xFFFF_FFFFL);
    }
}
