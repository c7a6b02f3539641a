package dev.remat.runtime.cpu.conv;

import dev.remat.ir.DType;

/**
 * A two-dimensional convolution of images [n, channels, height, width] by filters [filters, channels/groups, filterH,
 * filterW] to [n, filters, outputHeight, outputWidth].
 */
public record ConvShape(
        DType type,
        int n,
        int channels,
        int height,
        int width,
        int filters,
        int outputHeight,
        int outputWidth,
        int filterH,
        int filterW,
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
        return filterH * filterW;
    }

    int groupChannels() {
        return channels / groups;
    }

    int groupFilters() {
        return filters / groups;
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
        return (long) filters * groupChannels() * taps();
    }

    /** First element of an image's first channel of a group. */
    long inputAt(int image, int group, int channel) {
        return ((long) image * channels + (long) group * groupChannels() + channel) * area();
    }

    long outputAt(int image, int group) {
        return ((long) image * filters + (long) group * groupFilters()) * positions();
    }

    long weightsAt(int group) {
        return (long) group * groupFilters() * groupChannels() * taps();
    }
}
