package dev.remat.runtime.cpu.conv;

import dev.remat.ir.DType;

/**
 * A two-dimensional convolution of images [n, channels, height, width] by kernels
 * [kernels, channels/groups, kernelH, kernelW] to [n, kernels, outputHeight, outputWidth].
 */
public record ConvShape(
        DType type,
        int n,
        int channels,
        int height,
        int width,
        int kernels,
        int outputHeight,
        int outputWidth,
        int kernelH,
        int kernelW,
        int strideH,
        int strideW,
        int paddingH,
        int paddingW,
        int dilationH,
        int dilationW,
        int groups) {

    /** Positions of one output plane. */
    public int positions() {
        return outputHeight * outputWidth;
    }

    int area() {
        return height * width;
    }

    public int taps() {
        return kernelH * kernelW;
    }

    int groupChannels() {
        return channels / groups;
    }

    int groupKernels() {
        return kernels / groups;
    }

    /** Whether every output position reads just the input position of the same number. */
    boolean isPointwise() {
        return taps() == 1 && strideH == 1 && strideW == 1 && paddingH == 0 && paddingW == 0;
    }

    /** The dtype of columns and sums. */
    DType wide() {
        return type.accumulator();
    }

    boolean sixteenBit() {
        return type != wide();
    }

    public long weights() {
        return (long) kernels * groupChannels() * taps();
    }

    /** First element of an image's first channel of a group. */
    long inputAt(int image, int group, int channel) {
        return ((long) image * channels + (long) group * groupChannels() + channel) * area();
    }

    long outputAt(int image, int group) {
        return ((long) image * kernels + (long) group * groupKernels()) * positions();
    }

    long weightsAt(int group) {
        return (long) group * groupKernels() * groupChannels() * taps();
    }
}
