package dev.remat.ir.op;

import dev.remat.ir.Dim;

/**
 * How a two-dimensional convolution walks over its input, in elements; padding is on both sides.
 *
 * @param groups the channels are divided into so many convolutions side by side
 * @param layout of the images that are read and made; filters are {@code [O, C/groups, kh, kw]} in all layouts
 */
public record ConvGeometry(
        int strideH,
        int strideW,
        int paddingH,
        int paddingW,
        int dilationH,
        int dilationW,
        int groups,
        ImageLayout layout) {
    public ConvGeometry {
        Expect.argument(strideH > 0 && strideW > 0, "stride %s, %s", strideH, strideW);
        Expect.argument(paddingH >= 0 && paddingW >= 0, "padding %s, %s", paddingH, paddingW);
        Expect.argument(dilationH > 0 && dilationW > 0, "dilation %s, %s", dilationH, dilationW);
        Expect.argument(groups > 0, "%s groups", groups);
    }

    /** Over images as models have them. */
    public ConvGeometry(
            int strideH, int strideW, int paddingH, int paddingW, int dilationH, int dilationW, int groups) {
        this(strideH, strideW, paddingH, paddingW, dilationH, dilationW, groups, ImageLayout.NCHW);
    }

    /** The same over images in another layout. */
    public ConvGeometry in(ImageLayout other) {
        return new ConvGeometry(strideH, strideW, paddingH, paddingW, dilationH, dilationW, groups, other);
    }

    static ConvGeometry parse(Attributes attributes) {
        return new ConvGeometry(
                attributes.integer("stride_h"),
                attributes.integer("stride_w"),
                attributes.integer("padding_h"),
                attributes.integer("padding_w"),
                attributes.integer("dilation_h"),
                attributes.integer("dilation_w"),
                attributes.integer("groups"),
                ImageLayout.parse(attributes));
    }

    Attributes attributes() {
        return layout.describe(Attributes.NONE
                .with("stride_h", strideH)
                .with("stride_w", strideW)
                .with("padding_h", paddingH)
                .with("padding_w", paddingW)
                .with("dilation_h", dilationH)
                .with("dilation_w", dilationW)
                .with("groups", groups));
    }

    /** Number of rows that a window of {@code kernel} rows gives over {@code input} rows. */
    public Dim outputH(Dim input, Dim kernel) {
        return output(input, kernel, strideH, paddingH, dilationH);
    }

    /** Number of columns that a window of {@code kernel} columns gives over {@code input} columns. */
    public Dim outputW(Dim input, Dim kernel) {
        return output(input, kernel, strideW, paddingW, dilationW);
    }

    private static Dim output(Dim input, Dim kernel, int stride, int padding, int dilation) {
        Dim reach = kernel.minus(1).times(dilation).plus(1);
        return input.plus(2L * padding).minus(reach).floorDiv(stride).plus(1);
    }
}
