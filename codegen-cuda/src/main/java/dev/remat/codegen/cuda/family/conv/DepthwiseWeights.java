package dev.remat.codegen.cuda.family.conv;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.gemm.ResultLayout;
import dev.remat.ir.DType;

/**
 * The gradient by the filters of a convolution whose groups have one input channel: sums over all output positions,
 * which some blocks share.
 */
record DepthwiseWeights(ConvShape shape, DepthwiseShape extents) {
    private static final int THREADS = 256;
    /** Elements of a filter that one block computes, where its size is not known to the code. */
    private static final int TAPS = 8;
    /** Blocks that keep every device busy, and positions that are worth a block. */
    private static final long ENOUGH_BLOCKS = 2048;

    private static final long ENOUGH_POSITIONS = 2048;

    DepthwiseWeights(ConvShape shape) {
        this(shape, new DepthwiseShape(shape));
    }

    void lower(KernelStepBinding step) {
        DType dtype = shape.dtype();
        int neighbours = extents.neighbours();
        boolean split = splits() > 1;
        String rows = neighbours == 1
                ? ""
                : "_" + extents.side() + "x" + extents.side() + "_stride" + extents.stride() + "_" + neighbours;
        KernelCall call = new KernelCall(
                "depthwise_weights", dtype.label() + rows + (split ? "_split" : ""), "depthwise_weights.cuh");
        String operands = step.input(call, 0) + ", " + step.input(call, 1);
        String sum = CudaType.accumulator(dtype);
        String output = split
                ? "Store<" + sum + ">{" + step.workspace(call, sum, 0, workspaceBytes()) + "}"
                : step.output(call);
        String function = neighbours == 1
                ? "depthwise_weights<" + TAPS
                : "depthwise_weights_rows<" + extents.side() + ", " + extents.stride() + ", " + neighbours;
        call.body(function + ", " + THREADS + ">(" + operands + ", " + output + ",\n" + extents.declare(call) + ",\n"
                + split(call) + ");");
        step.launch(call.threads(THREADS).grid(splits() * shape.outputs() * parts()));
        if (split) {
            step.launch(addSplits(step));
        }
    }

    private String split(KernelCall call) {
        long across = shape.outWidth() / extents.neighbours();
        return KernelCall.struct(
                "DepthwiseSplit",
                call.u32(groups()),
                call.u32(depth()),
                call.u32(parts()),
                call.u64(Divisor.magic(shape.outHeight() * across)),
                call.u64(Divisor.magic(across)));
    }

    private KernelCall addSplits(KernelStepBinding step) {
        String type = "const " + CudaType.accumulator(shape.dtype());
        KernelCall call = new KernelCall("split_k", "depthwise_" + shape.dtype().label(), "split_k.cuh");
        String partial = step.workspace(call, type, 0, workspaceBytes());
        ResultLayout place = new ResultLayout.Dense(shape.outputs(), shape.taps());
        String product = KernelCall.struct(
                "GemmShape",
                call.u32(shape.outputs()),
                call.u32(shape.taps()),
                call.u32(groups()),
                "1",
                call.u32(depth()));
        call.body("add_splits<1>("
                + String.join(", ", partial, call.u32(splits()), place.declare(call), step.output(call), product)
                + ");");
        return call.threads(THREADS).grid(Math.ceilDiv(shape.outputs() * shape.taps(), THREADS));
    }

    /** Partial sums of each split; none where one block sums over all positions. */
    long workspaceBytes() {
        long splits = splits();
        return splits == 1
                ? 0
                : splits
                        * shape.outputs()
                        * shape.taps()
                        * shape.dtype().accumulator().bytes();
    }

    private long splits() {
        return Math.ceilDiv(groups(), depth());
    }

    /** Groups of neighbouring positions that one block sums over. */
    private long depth() {
        long wanted = Math.ceilDiv(ENOUGH_BLOCKS, shape.outputs() * parts());
        long splits = Math.min(wanted, Math.ceilDiv(shape.images() * shape.outArea(), ENOUGH_POSITIONS));
        return Math.ceilDiv(Math.ceilDiv(groups(), splits), THREADS) * THREADS;
    }

    private long groups() {
        return shape.images() * shape.outArea() / extents.neighbours();
    }

    /** Blocks that share the elements of one filter. */
    private long parts() {
        return extents.neighbours() == 1 ? Math.ceilDiv(shape.taps(), TAPS) : 1;
    }
}
