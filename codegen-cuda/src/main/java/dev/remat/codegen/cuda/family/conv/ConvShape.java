package dev.remat.codegen.cuda.family.conv;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.ImageLayout;

/**
 * Extents of a convolution, whichever of its three tensors is computed.
 *
 * @param inputs channels of what it reads, all groups together
 * @param outputs channels of what it gives
 * @param height rows of what it reads, likewise {@code width}
 * @param outHeight rows of what it gives, likewise {@code outWidth}
 */
record ConvShape(
        DType dtype,
        long images,
        long inputs,
        long outputs,
        long height,
        long width,
        long outHeight,
        long outWidth,
        long filterH,
        long filterW,
        ConvGeometry geometry) {
    /** Offsets inside an image are sums of two signed 32-bit numbers. */
    private static final long MOST_ELEMENTS = 1 << 30;
    /** What kernels can hold of a tap's distance, in rows or columns. */
    private static final long MOST_REACH = 1 << 15;
    /** 16-bit elements that are moved at once. */
    private static final long CHUNK = 8;

    ConvShape {
        long padded = inputs * (height + 2L * geometry.paddingH()) * (width + 2L * geometry.paddingW());
        if (Math.max(padded, outputs * outHeight * outWidth) > MOST_ELEMENTS) {
            throw new IllegalArgumentException("kernels convolve no image of more than 2^30 elements: " + inputs + " x "
                    + height + " x " + width + " to " + outputs + " x " + outHeight + " x " + outWidth);
        }
        if (Math.max(filterH * geometry.dilationH(), filterW * geometry.dilationW()) >= MOST_REACH) {
            throw new IllegalArgumentException("a convolution reaches over " + MOST_REACH + " rows or columns");
        }
    }

    /** The convolution of images {@code x} by {@code w [O, C/groups, kh, kw]} to images {@code y}. */
    static ConvShape of(TensorType x, TensorType w, TensorType y, ConvGeometry geometry) {
        ImageLayout layout = geometry.layout();
        return new ConvShape(
                x.dtype(),
                x.dim(0).value(),
                layout.channels(x).value(),
                layout.channels(y).value(),
                layout.height(x).value(),
                layout.width(x).value(),
                layout.height(y).value(),
                layout.width(y).value(),
                w.dim(2).value(),
                w.dim(3).value(),
                geometry);
    }

    /** Whether the channels of a pixel lie side by side, in the images that are read and in those that are made. */
    boolean channelsLast() {
        return geometry.layout() == ImageLayout.NHWC;
    }

    /** Whether kernels multiply filters directly, which want planes. */
    boolean isDepthwise() {
        return !channelsLast() && DepthwiseKernels.suit(this);
    }

    /** Whether every group has whole chunks of channels. */
    boolean fillsChunks() {
        return groupInputs() % CHUNK == 0 && groupOutputs() % CHUNK == 0;
    }

    long groups() {
        return geometry.groups();
    }

    long groupInputs() {
        return inputs / groups();
    }

    long groupOutputs() {
        return outputs / groups();
    }

    long taps() {
        return filterH * filterW;
    }

    long outArea() {
        return outHeight * outWidth;
    }
}
