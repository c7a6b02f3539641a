package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;

/**
 * Window that a pooling moves over images, in elements.
 *
 * @param dilationH distance of neighbouring rows of the window, likewise {@code dilationW} of columns
 * @param partial whether a last window counts that reaches beyond the padding but begins before it, inside the input or
 *     the padding in front of it; else only whole windows count
 * @param layout of the images, what is pooled and the result
 */
public record PoolWindow(
        int windowH,
        int windowW,
        int strideH,
        int strideW,
        int paddingH,
        int paddingW,
        int dilationH,
        int dilationW,
        boolean partial,
        ImageLayout layout) {
    public PoolWindow {
        Expect.argument(windowH > 0 && windowW > 0, "a window of %s x %s", windowH, windowW);
        Expect.argument(strideH > 0 && strideW > 0, "stride %s, %s", strideH, strideW);
        Expect.argument(dilationH > 0 && dilationW > 0, "dilation %s, %s", dilationH, dilationW);
        boolean covered = paddingH >= 0 && paddingW >= 0 && 2 * paddingH <= windowH && 2 * paddingW <= windowW;
        Expect.argument(covered, "padding %s, %s is more than half a window", paddingH, paddingW);
    }

    /** Over images as models have them. */
    public PoolWindow(
            int windowH,
            int windowW,
            int strideH,
            int strideW,
            int paddingH,
            int paddingW,
            int dilationH,
            int dilationW,
            boolean partial) {
        this(windowH, windowW, strideH, strideW, paddingH, paddingW, dilationH, dilationW, partial, ImageLayout.NCHW);
    }

    /** A window that counts where it is whole. */
    public PoolWindow(int windowH, int windowW, int strideH, int strideW, int paddingH, int paddingW) {
        this(windowH, windowW, strideH, strideW, paddingH, paddingW, false);
    }

    /** A window of neighbours. */
    public PoolWindow(int windowH, int windowW, int strideH, int strideW, int paddingH, int paddingW, boolean partial) {
        this(windowH, windowW, strideH, strideW, paddingH, paddingW, 1, 1, partial);
    }

    /** The same over what has its padding already. */
    public PoolWindow unpadded() {
        return new PoolWindow(windowH, windowW, strideH, strideW, 0, 0, dilationH, dilationW, partial, layout);
    }

    /** The same over images in another layout. */
    public PoolWindow in(ImageLayout other) {
        return new PoolWindow(
                windowH, windowW, strideH, strideW, paddingH, paddingW, dilationH, dilationW, partial, other);
    }

    static PoolWindow parse(Attributes attributes) {
        return new PoolWindow(
                attributes.integer("kernel_h"),
                attributes.integer("kernel_w"),
                attributes.integer("stride_h"),
                attributes.integer("stride_w"),
                attributes.integer("padding_h"),
                attributes.integer("padding_w"),
                attributes.has("dilation_h") ? attributes.integer("dilation_h") : 1,
                attributes.has("dilation_w") ? attributes.integer("dilation_w") : 1,
                attributes.has("partial") && attributes.flag("partial"),
                ImageLayout.parse(attributes));
    }

    Attributes attributes() {
        Attributes dense = Attributes.NONE
                .with("kernel_h", windowH)
                .with("kernel_w", windowW)
                .with("stride_h", strideH)
                .with("stride_w", strideW)
                .with("padding_h", paddingH)
                .with("padding_w", paddingW);
        Attributes whole = isDilated() ? dense.with("dilation_h", dilationH).with("dilation_w", dilationW) : dense;
        return layout.describe(partial ? whole.with("partial", true) : whole);
    }

    /** Whether there are elements between those of a window. */
    public boolean isDilated() {
        return dilationH > 1 || dilationW > 1;
    }

    private static long reach(int window, int dilation) {
        return (window - 1L) * dilation + 1;
    }

    /** Elements of one window. */
    long area() {
        return (long) windowH * windowW;
    }

    /** Number of windows one above the other over {@code input} rows. */
    public Dim outputH(Dim input) {
        return output(input, reach(windowH, dilationH), strideH, paddingH);
    }

    /** Number of windows side by side over {@code input} columns. */
    public Dim outputW(Dim input) {
        return output(input, reach(windowW, dilationW), strideW, paddingW);
    }

    private Dim output(Dim input, long window, int stride, int padding) {
        if (!partial) {
            return input.plus(2L * padding - window).floorDiv(stride).plus(1);
        }
        // The windows that begin before the padding behind the input, of them one at most that is not whole.
        long reach = padding + Math.min(padding - window + stride, 0);
        Dim covered = input.plus(reach);
        return covered.divideExact(Dim.of(stride))
                .orElseGet(() -> covered.plus(stride - 1).floorDiv(stride));
    }

    /** Type of the pooled {@code x}. */
    TensorType pooled(Op op, TensorType x) {
        Expect.floating(op, x);
        Expect.rank(op, "an input", x, 4);
        Dim height = outputH(layout.height(x));
        Dim width = outputW(layout.width(x));
        boolean fits = !Conv2d.isEmpty(height) && !Conv2d.isEmpty(width);
        require(
                fits,
                "%s with a window of %d x %d does not fit into %s",
                op.mnemonic(),
                reach(windowH, dilationH),
                reach(windowW, dilationW),
                x);
        return x.with(layout.shape(x.dim(0), layout.channels(x), height, width));
    }
}
