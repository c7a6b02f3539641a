package dev.remat.compiler.fusion;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.ImageLayout;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.Slice;
import java.util.List;
import java.util.Optional;

/**
 * One pixel of every box of {@code rows} by {@code columns} pixels, its first: what a convolution of one-element
 * filters reads that takes such steps. Images are {@code [N, H, W, C]} and divide into whole boxes.
 */
record Sampling(long rows, long columns) {
    /**
     * The pixels that a convolution or one of its gradients has to do with.
     *
     * @param operands types of what it reads
     * @param results types of what it makes
     */
    static Optional<Sampling> of(Op op, List<TensorType> operands, List<TensorType> results) {
        if (op instanceof Conv2d conv) {
            return of(conv.geometry(), operands.getFirst(), operands.get(1));
        }
        if (op instanceof Conv2dWeightGradient conv) {
            return of(conv.geometry(), operands.getFirst(), results.getFirst());
        }
        return op instanceof ConvTranspose2d conv
                ? of(conv.geometry(), results.getFirst(), operands.get(1))
                : Optional.empty();
    }

    private static Optional<Sampling> of(ConvGeometry geometry, TensorType images, TensorType filters) {
        boolean points = filters.dim(2).is(1) && filters.dim(3).is(1);
        boolean skips = geometry.strideH() > 1 || geometry.strideW() > 1;
        ImageLayout layout = geometry.layout();
        boolean samples = layout == ImageLayout.NHWC
                && points
                && skips
                && geometry.paddingH() == 0
                && geometry.paddingW() == 0
                && layout.height(images).value() % geometry.strideH() == 0
                && layout.width(images).value() % geometry.strideW() == 0;
        return samples ? Optional.of(new Sampling(geometry.strideH(), geometry.strideW())) : Optional.empty();
    }

    /** A convolution or one of its gradients on images of the sampled pixels alone. */
    Op dense(Op op) {
        if (op instanceof Conv2d conv) {
            return new Conv2d(step(conv.geometry()), conv.moments());
        }
        if (op instanceof Conv2dWeightGradient conv) {
            return new Conv2dWeightGradient(step(conv.geometry()), conv.filterH(), conv.filterW(), conv.wide());
        }
        ConvTranspose2d conv = (ConvTranspose2d) op;
        return new ConvTranspose2d(step(conv.geometry()), down(conv.outputH()), across(conv.outputW()));
    }

    private static ConvGeometry step(ConvGeometry geometry) {
        return new ConvGeometry(
                1, 1, 0, 0, geometry.dilationH(), geometry.dilationW(), geometry.groups(), geometry.layout());
    }

    private Dim down(Dim height) {
        return Dim.of(height.value() / rows);
    }

    private Dim across(Dim width) {
        return Dim.of(width.value() / columns);
    }

    /** What is left of images. */
    TensorType sampled(TensorType images) {
        return images.with(
                new Shape(List.of(images.dim(0), down(images.dim(1)), across(images.dim(2)), images.dim(3))));
    }

    /** The images, each axis of pixels as boxes of which {@code inRows} and {@code inColumns} pixels are there. */
    private Shape boxes(TensorType images, long inRows, long inColumns) {
        return new Shape(List.of(
                images.dim(0),
                down(images.dim(1)),
                Dim.of(inRows),
                across(images.dim(2)),
                Dim.of(inColumns),
                images.dim(3)));
    }

    /** A view of the sampled pixels. */
    ValueId view(GraphBuilder builder, ValueId images) {
        TensorType type = builder.type(images);
        ValueId boxes = builder.apply(new Reshape(boxes(type, rows, columns)), images);
        List<Dim> starts = List.of(Dim.ZERO, Dim.ZERO, Dim.ZERO, Dim.ZERO, Dim.ZERO, Dim.ZERO);
        ValueId first = builder.apply(new Slice(starts, boxes(type, 1, 1).dims()), boxes);
        return builder.apply(new Reshape(sampled(type).shape()), first);
    }

    /** Images of {@code type} with these pixels, and zeros between them. */
    ValueId spread(GraphBuilder builder, ValueId pixels, TensorType type) {
        ValueId first = builder.apply(new Reshape(boxes(type, 1, 1)), pixels);
        List<Dim> low = List.of(Dim.ZERO, Dim.ZERO, Dim.ZERO, Dim.ZERO, Dim.ZERO, Dim.ZERO);
        List<Dim> high = List.of(Dim.ZERO, Dim.ZERO, Dim.of(rows - 1), Dim.ZERO, Dim.of(columns - 1), Dim.ZERO);
        ValueId boxes = builder.apply(new Pad(low, high, 0), first);
        return builder.apply(new Reshape(type.shape()), boxes);
    }
}
