package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.StepBinding;
import dev.remat.ir.DType;
import dev.remat.ir.op.ConvGeometry;

/** Convolutions whose groups have one input channel and few outputs: memory bounds them, so they multiply directly. */
final class DepthwiseKernels {
    private static final int THREADS = 256;
    /** Results that one thread computes. */
    private static final int PIXELS = 4;
    /** From so many outputs of a channel on, matrix products are full enough. */
    private static final long MOST_OUTPUTS = 4;
    /** Elements of a kernel whose gradient one block computes, where its size is not known to the kernel. */
    private static final int TAPS = 8;
    /** Blocks that keep every device busy, and positions that are worth a block. */
    private static final long ENOUGH_BLOCKS = 2048;
    private static final long ENOUGH_POSITIONS = 2048;

    private DepthwiseKernels() {}

    static boolean suit(ConvShape shape) {
        return shape.groupInputs() == 1 && shape.groupOutputs() <= MOST_OUTPUTS;
    }

    static void forward(ConvShape shape, StepBinding step) {
        gather("depthwise", shape, step);
    }

    static void transposed(ConvShape shape, StepBinding step) {
        gather("depthwise_transposed", shape, step);
    }

    /** Launches a kernel in which each result is summed by one thread. */
    private static void gather(String function, ConvShape shape, StepBinding step) {
        KernelCall call = call(function, shape);
        String arguments = String.join(", ", step.input(call, 0), step.input(call, 1), step.output(call),
                declare(shape, call));
        PlaneTiling tiling = PlaneTiling.of(step.resultType(0), (long) THREADS * PIXELS);
        call.body(function + "<" + side(shape) + ">(" + arguments + ",\n" + tiling.declare(call) + ");");
        step.launch(call.grid(tiling.blocks()));
    }

    static void weightGradient(ConvShape shape, StepBinding step) {
        long splits = splits(shape);
        DType sum = shape.dtype().accumulator();
        KernelCall call = call(splits == 1 ? "depthwise_weights" : "depthwise_weights_split", shape);
        String x = step.input(call, 0);
        String dy = step.input(call, 1);
        String output = splits == 1
                ? step.output(call)
                : "Store<" + CudaType.of(sum) + ">{"
                        + step.workspace(call, CudaType.of(sum), 0, weightGradientWorkspaceBytes(shape)) + "}";
        String split = "DepthwiseSplit{" + String.join(", ", call.u32(positions(shape)), call.u32(depth(shape)),
                call.u32(parts(shape))) + "}";
        int taps = side(shape) == 0 ? TAPS : side(shape) * side(shape);
        call.body("depthwise_weights<" + side(shape) + ", " + taps + ", " + THREADS + ">("
                + String.join(", ", x, dy, output, declare(shape, call), split) + ");");
        step.launch(call.grid(splits * shape.outputs() * parts(shape)));
        if (splits > 1) {
            step.launch(addSplits(shape, step, splits));
        }
    }

    private static KernelCall addSplits(ConvShape shape, StepBinding step, long splits) {
        String type = "const " + CudaType.accumulator(shape.dtype());
        KernelCall call = new KernelCall("split_k", "depthwise_" + shape.dtype().label(), "split_k.cuh");
        String partial = step.workspace(call, type, 0, weightGradientWorkspaceBytes(shape));
        GemmPlace place = new DensePlace(shape.outputs(), shape.taps());
        String extents = "GemmShape{" + String.join(", ", call.u32(shape.outputs()), call.u32(shape.taps()),
                call.u32(positions(shape)), "1", call.u32(depth(shape))) + "}";
        call.body("add_splits<1>(" + String.join(", ", partial, call.u32(splits), place.declare(call),
                step.output(call), extents) + ");");
        return call.threads(THREADS).grid(Math.ceilDiv(shape.outputs() * shape.taps(), THREADS));
    }

    /** Partial sums of each split; none where one block sums over all positions. */
    static long weightGradientWorkspaceBytes(ConvShape shape) {
        long splits = splits(shape);
        return splits == 1 ? 0 : splits * shape.outputs() * shape.taps() * shape.dtype().accumulator().bytes();
    }

    private static long splits(ConvShape shape) {
        return Math.ceilDiv(positions(shape), depth(shape));
    }

    /** Positions that one block sums over. */
    private static long depth(ConvShape shape) {
        long wanted = Math.ceilDiv(ENOUGH_BLOCKS, shape.outputs() * parts(shape));
        long splits = Math.min(wanted, Math.ceilDiv(positions(shape), ENOUGH_POSITIONS));
        return Math.ceilDiv(Math.ceilDiv(positions(shape), splits), THREADS) * THREADS;
    }

    private static long positions(ConvShape shape) {
        return shape.images() * shape.outArea();
    }

    /** Blocks that share the elements of one kernel. */
    private static long parts(ConvShape shape) {
        return side(shape) == 0 ? Math.ceilDiv(shape.taps(), TAPS) : 1;
    }

    /** Side of the square kernels that code is unrolled for, 0 for all others. */
    private static int side(ConvShape shape) {
        boolean known = shape.kernelH() == shape.kernelW() && (shape.kernelH() == 3 || shape.kernelH() == 5);
        return known ? (int) shape.kernelH() : 0;
    }

    private static KernelCall call(String function, ConvShape shape) {
        String variant = shape.dtype().label() + (side(shape) == 0 ? "" : "_" + side(shape) + "x" + side(shape));
        return new KernelCall(function, variant, "depthwise.cuh").threads(THREADS);
    }

    private static String declare(ConvShape shape, KernelCall call) {
        ConvGeometry geometry = shape.geometry();
        return "DepthwiseShape{" + String.join(", ", call.u32(shape.height()), call.u32(shape.width()),
                call.u32(shape.outHeight()), call.u32(shape.outWidth()), call.u32(shape.inputs()),
                call.u32(shape.outputs()), call.u32(shape.groupOutputs()), call.u32(shape.kernelH()),
                call.u32(shape.kernelW()), call.u32(geometry.strideH()), call.u32(geometry.strideW()),
                call.u32(geometry.paddingH()), call.u32(geometry.paddingW()), call.u32(geometry.dilationH()),
                call.u32(geometry.dilationW()), by(call, shape.inputs()), by(call, shape.outputs()),
                by(call, shape.groupOutputs()), by(call, geometry.strideH()), by(call, geometry.strideW()),
                by(call, shape.kernelW()), by(call, shape.outArea()), by(call, shape.outWidth())) + "}";
    }

    private static String by(KernelCall call, long divisor) {
        return call.u64(Divisor.magic(divisor));
    }
}
