package dev.remat.runtime.cpu.conv;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.runtime.cpu.support.Shapes;

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
        ConvGeometry geometry) {
    /** {@code x} is the large side and {@code y} the small one, whichever is the operand. */
    static ConvShape of(ConvGeometry geometry, TensorType x, TensorType weights, TensorType y) {
        Shapes.expectPlanes(geometry.layout());
        int[] large = Shapes.dims(x);
        int[] small = Shapes.dims(y);
        int[] filter = Shapes.dims(weights);
        return new ConvShape(
                x.dtype(), large[0], large[1], large[2], large[3], small[1], small[2], small[3], filter[2], filter[3],
                geometry);
    }

    int groups() {
        return geometry.groups();
    }

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
        return channels / groups();
    }

    int groupFilters() {
        return filters / groups();
    }

    /** Whether every output position reads just the input position of the same number. */
    boolean isPointwise() {
        return taps() == 1
                && geometry.strideH() == 1
                && geometry.strideW() == 1
                && geometry.paddingH() == 0
                && geometry.paddingW() == 0;
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
