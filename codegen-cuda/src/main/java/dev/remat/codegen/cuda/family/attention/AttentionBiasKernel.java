package dev.remat.codegen.cuda.family.attention;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.OpTypes;
import dev.remat.codegen.cuda.family.gemm.ResultLayout;
import dev.remat.ir.Alignment;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.AttentionBiasGradient;

/**
 * The gradient of attention by its bias. A block owns a tile of the bias and adds up all tiles of scores that it was
 * added to; where a bias has few tiles, several blocks share those of one, and their sums are added in order.
 */
public record AttentionBiasKernel(AttentionBiasGradient op) implements CudaKernel {
    /** With so many blocks a device is busy. */
    private static final long ENOUGH_BLOCKS = 128;

    private static final int SECOND_THREADS = 256;

    /**
     * Who adds up what.
     *
     * @param owned tiles of the bias
     * @param tiles of scores that belong to one of them
     * @param chunk how many of these a block adds up
     */
    private record Split(long owned, long tiles, long chunk) {
        static Split of(AttentionShape shape, TensorType bias) {
            AttentionSimtTile tile = tile(shape);
            long rows = tile.rowTiles(shape.queries());
            long columns = tile.rowTiles(shape.keys());
            long owned = bias.dim(0).value()
                    * bias.dim(1).value()
                    * (bias.dim(2).is(1) ? 1 : rows)
                    * (bias.dim(3).is(1) ? 1 : columns);
            long tiles = Math.multiplyExact(shape.flatHeads(), Math.multiplyExact(rows, columns)) / owned;
            long parts = Math.clamp(Math.ceilDiv(ENOUGH_BLOCKS, owned), 1, tiles);
            return new Split(owned, tiles, Math.ceilDiv(tiles, parts));
        }

        long parts() {
            return Math.ceilDiv(tiles, chunk);
        }

        /** Bytes of the sums of each part; none where there is one. */
        long bytes(DType wide, TensorType bias) {
            return parts() == 1 ? 0 : parts() * bias.elements() * wide.bytes();
        }
    }

    @Override
    public boolean takesStrides(int index) {
        return index != AttentionKernels.LOG_SUMS;
    }

    private static AttentionSimtTile tile(AttentionShape shape) {
        return AttentionSimtTile.of(shape.type(), 1);
    }

    @Override
    public void lower(KernelStepBinding step) {
        AttentionShape shape = AttentionKernels.shape(step.operandTypes());
        if (shape.isEmpty()) {
            return;
        }
        AttentionKernels.delta(shape, step);
        TensorType bias = step.resultType(0);
        DType wide = shape.type().accumulator();
        Split split = Split.of(shape, bias);
        boolean whole = split.parts() == 1;
        AttentionSimtTile tile = tile(shape);
        String label = "dbias_" + tile.label(shape.type()) + (whole ? "" : "_split");
        KernelCall call =
                new KernelCall("attention", label + AttentionKernels.flags(op.forward(), shape), "attention_bias.cuh");
        String backward = AttentionKernels.backward(op.others(), shape, call, step);
        String extents = shape.declare(call);
        String to = whole
                ? step.result(call, 0)
                : step.workspace(call, CudaType.of(wide), deltaBytes(shape), split.bytes(wide, bias));
        call.body("attention_plain_bias_gradient<" + tile.rows() + AttentionKernels.template(op.forward()) + ">("
                + String.join(", ", extents, backward, declare(split, bias, call), to) + ");");
        step.launch(call.threads(AttentionSimtTile.THREADS).leastBlocks(1).grid(split.owned(), split.parts(), 1));
        if (!whole) {
            add(split, bias, wide, deltaBytes(shape), step);
        }
    }

    private static String declare(Split split, TensorType bias, KernelCall call) {
        return KernelCall.struct(
                "BiasExtents",
                call.u32(bias.dim(0).value()),
                call.u32(bias.dim(1).value()),
                call.u32(bias.dim(2).value()),
                call.u32(bias.dim(3).value()),
                call.u64(split.chunk()),
                call.u64(split.tiles()));
    }

    /** Adds the sums of the parts, the first one first. */
    private static void add(Split split, TensorType bias, DType wide, long offset, KernelStepBinding step) {
        long elements = bias.elements();
        KernelCall call = new KernelCall("split_k", "dbias_" + bias.dtype().label(), "split_k.cuh");
        String partial = step.workspace(call, "const " + CudaType.of(wide), offset, split.bytes(wide, bias));
        String parts = call.u32(split.parts());
        String place = new ResultLayout.Dense(1, elements).declare(call);
        String product = "GemmShape{1, " + call.u32(elements) + ", 1, 1, 1}";
        call.body("add_splits<1>(" + String.join(", ", partial, parts, place, step.output(call), product) + ");");
        step.launch(call.threads(SECOND_THREADS).grid(Math.ceilDiv(elements, SECOND_THREADS)));
    }

    private static long deltaBytes(AttentionShape shape) {
        return Alignment.up(shape.rowBytes(), 16);
    }

    /** The deltas of the queries, and sums where several blocks share a tile of the bias. */
    @Override
    public long workspaceBytes(OpTypes types) {
        AttentionShape shape = AttentionKernels.shape(types.operands());
        if (shape.isEmpty()) {
            return 0;
        }
        TensorType bias = types.operand(op.others().biasIndex());
        return deltaBytes(shape) + Split.of(shape, bias).bytes(shape.type().accumulator(), bias);
    }
}
