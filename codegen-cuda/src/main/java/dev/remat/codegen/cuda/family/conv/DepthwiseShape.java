package dev.remat.codegen.cuda.family.conv;

import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.ir.op.ConvGeometry;

/** Extents of a convolution whose groups have one input channel, as its kernels take them. */
record DepthwiseShape(ConvShape shape) {
    private static final int MOST_NEIGHBOURS = 4;

    /** Side of the square filters that code is unrolled for, 0 for all others. */
    int side() {
        boolean known = shape.filterH() == shape.filterW() && (shape.filterH() == 3 || shape.filterH() == 5);
        return known ? (int) shape.filterH() : 0;
    }

    int stride() {
        return shape.geometry().strideW();
    }

    /** Outputs in a row that are computed together; 1 where what they read has too little in common. */
    int neighbours() {
        ConvGeometry geometry = shape.geometry();
        boolean close = side() > 0 && geometry.dilationW() == 1 && stride() <= 2 && geometry.strideH() == stride();
        return close ? neighbours(shape.outWidth()) : 1;
    }

    /**
     * Inputs in a row whose gradients are computed together: those of a convolution by flipped filters; 1 where it is
     * none.
     */
    int transposedNeighbours() {
        ConvGeometry geometry = shape.geometry();
        boolean same = side() > 0
                && geometry.dilationW() == 1
                && stride() == 1
                && geometry.strideH() == 1
                && shape.groupOutputs() == 1;
        return same ? neighbours(shape.width()) : 1;
    }

    /** The same where outputs meet every other input; an even number, or 1. */
    int stridedNeighbours() {
        ConvGeometry geometry = shape.geometry();
        boolean strided = side() > 0
                && stride() == 2
                && geometry.strideH() == 2
                && geometry.dilationH() == 1
                && geometry.dilationW() == 1;
        return strided ? neighbours(shape.width()) : 1;
    }

    private static int neighbours(long width) {
        return (int) Math.min(MOST_NEIGHBOURS, Long.lowestOneBit(width));
    }

    String declare(KernelCall call) {
        return declare(
                call,
                shape.height(),
                shape.width(),
                shape.outHeight(),
                shape.outWidth(),
                shape.geometry().paddingH(),
                shape.geometry().paddingW());
    }

    /** Declares the convolution by flipped filters that this one is when it is turned around, without stride. */
    String declareFlipped(KernelCall call) {
        ConvGeometry geometry = shape.geometry();
        return declare(
                call,
                shape.outHeight(),
                shape.outWidth(),
                shape.height(),
                shape.width(),
                (shape.filterH() - 1) * geometry.dilationH() - geometry.paddingH(),
                (shape.filterW() - 1) * geometry.dilationW() - geometry.paddingW());
    }

    private String declare(
            KernelCall call, long height, long width, long outHeight, long outWidth, long paddingH, long paddingW) {
        ConvGeometry geometry = shape.geometry();
        return KernelCall.struct(
                "DepthwiseShape",
                call.u32(height),
                call.u32(width),
                call.u32(outHeight),
                call.u32(outWidth),
                call.u32(shape.inputs()),
                call.u32(shape.outputs()),
                call.u32(shape.groupOutputs()),
                call.u32(shape.filterH()),
                call.u32(shape.filterW()),
                call.u32(geometry.strideH()),
                call.u32(geometry.strideW()),
                modular(call, paddingH),
                modular(call, paddingW),
                call.u32(geometry.dilationH()),
                call.u32(geometry.dilationW()),
                by(call, shape.inputs()),
                by(call, shape.outputs()),
                by(call, shape.groupOutputs()),
                by(call, geometry.strideH()),
                by(call, geometry.strideW()),
                by(call, shape.filterW()));
    }

    private static String modular(KernelCall call, long value) {
        return call.u32(value & 0xFFFF_FFFFL);
    }

    private static String by(KernelCall call, long divisor) {
        return call.u64(Divisor.magic(divisor));
    }
}
