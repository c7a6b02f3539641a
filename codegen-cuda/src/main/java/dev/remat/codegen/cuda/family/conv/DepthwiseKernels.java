package dev.remat.codegen.cuda.family.conv;

import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.image.PlaneTiling;
import dev.remat.ir.TensorType;

/** Convolutions whose groups have one input channel and few outputs: memory bounds them, so they multiply directly. */
final class DepthwiseKernels {
    private static final int THREADS = 256;
    /** Results, or groups of neighbouring results, that one thread computes. */
    private static final int PIXELS = 4;
    /** Blocks of a kernel of any size that fit on a multiprocessor at once without spilling registers. */
    private static final int LEAST_BLOCKS = 6;
    /** From so many outputs of a channel on, matrix products are full enough. */
    private static final long MOST_OUTPUTS = 4;

    private DepthwiseKernels() {}

    static boolean suit(ConvShape shape) {
        return shape.groupInputs() == 1 && shape.groupOutputs() <= MOST_OUTPUTS;
    }

    static void forward(ConvShape shape, KernelStepBinding step) {
        DepthwiseShape extents = new DepthwiseShape(shape);
        if (extents.neighbours() > 1) {
            rows("depthwise", extents, extents.stride(), aligned(step, extents.neighbours()), step);
        } else {
            gather("depthwise", extents, step);
        }
    }

    static void transposed(ConvShape shape, KernelStepBinding step) {
        DepthwiseShape extents = new DepthwiseShape(shape);
        if (extents.transposedNeighbours() > 1) {
            rows("depthwise_transposed", extents, 1, aligned(step, extents.transposedNeighbours()), step);
        } else if (aligned(step, extents.stridedNeighbours()) > 1) {
            strided(extents, aligned(step, extents.stridedNeighbours()), step);
        } else {
            gather("depthwise_transposed", extents, step);
        }
    }

    /** Launches a kernel in which each result is summed by one thread. */
    private static void gather(String function, DepthwiseShape extents, KernelStepBinding step) {
        String variant = extents.shape().dtype().label() + side(extents);
        KernelCall call = new KernelCall(function, variant, "depthwise.cuh").threads(THREADS);
        if (extents.side() == 0) {
            call.leastBlocks(LEAST_BLOCKS);
        }
        String arguments = operands(call, step) + ", " + extents.declare(call);
        call.body(function + "<" + extents.side() + ">(" + arguments + ",\n" + tiles(call, step, 1) + ");");
        step.launch(call);
    }

    /** Launches a kernel in which {@code neighbours} results are summed by one thread. */
    private static void rows(
            String function, DepthwiseShape extents, int stride, int neighbours, KernelStepBinding step) {
        boolean flipped = function.equals("depthwise_transposed");
        String variant = extents.shape().dtype().label() + side(extents) + "_stride" + stride + "_" + neighbours;
        KernelCall call = new KernelCall(function, variant, "depthwise_rows.cuh").threads(THREADS);
        String arguments =
                operands(call, step) + ", " + (flipped ? extents.declareFlipped(call) : extents.declare(call));
        call.body("depthwise_rows<" + extents.side() + ", " + stride + ", " + neighbours + ", " + flipped + ">("
                + arguments + ",\n" + tiles(call, step, neighbours) + ");");
        step.launch(call);
    }

    /** Launches a kernel in which a thread sums some neighbours, though each by its own part of the filter. */
    private static void strided(DepthwiseShape extents, int neighbours, KernelStepBinding step) {
        int parity = extents.shape().geometry().paddingW() % 2;
        String variant = extents.shape().dtype().label() + side(extents) + "_stride2_" + neighbours + "_" + parity;
        KernelCall call = new KernelCall("depthwise_transposed", variant, "depthwise_rows.cuh").threads(THREADS);
        String arguments = operands(call, step) + ", " + extents.declare(call);
        call.body("depthwise_transposed_rows<" + extents.side() + ", " + neighbours + ", " + parity + ">(" + arguments
                + ",\n" + tiles(call, step, neighbours) + ");");
        step.launch(call);
    }

    private static String operands(KernelCall call, KernelStepBinding step) {
        return String.join(", ", step.input(call, 0), step.input(call, 1), step.output(call));
    }

    private static String tiles(KernelCall call, KernelStepBinding step, int neighbours) {
        TensorType type = step.resultType(0);
        PlaneTiling tiling = PlaneTiling.of(
                type.dim(0).value() * type.dim(1).value(),
                type.dim(2).value(),
                type.dim(3).value() / neighbours,
                (long) THREADS * PIXELS);
        call.grid(tiling.blocks());
        return tiling.declare(call);
    }

    private static String side(DepthwiseShape extents) {
        return extents.side() == 0 ? "" : "_" + extents.side() + "x" + extents.side();
    }

    /** Neighbours that may be stored at once, which changes no sum; a fused output looks after alignment itself. */
    private static int aligned(KernelStepBinding step, int neighbours) {
        int width = neighbours;
        long bytes = step.resultType(0).dtype().bytes();
        while (!step.hasEpilogue() && width > 1 && step.resultAddress(0) % Math.min(16, width * bytes) != 0) {
            width /= 2;
        }
        return width;
    }
}
