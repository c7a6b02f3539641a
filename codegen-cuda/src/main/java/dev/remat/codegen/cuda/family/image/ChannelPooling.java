package dev.remat.codegen.cuda.family.image;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.ImageLayout;
import dev.remat.ir.op.MaxPool2dGradient;

/** Pooling of images whose channels lie side by side, windows without dilation: a thread takes 16 bytes of channels. */
final class ChannelPooling {
    private static final ImageLayout LAYOUT = ImageLayout.NHWC;
    private static final int THREADS = 256;
    /** Side of the square of inputs for which a thread finds the maxima of windows, once for all. */
    private static final int PATCH = 2;

    private ChannelPooling() {}

    static void maxGradient(MaxPool2dGradient op, KernelStepBinding step) {
        int width = Math.min(width(step, 0), width(step, 1));
        int side = PoolingKernels.side(op.window());
        KernelCall call = call(step, "max_gradient", side, width);
        String text = "max_pool_channels_gradient<" + side + ", " + width + ", " + PATCH + ">("
                + String.join(
                        ", ",
                        step.input(call, 0),
                        step.input(call, 1),
                        step.result(call, 0),
                        PoolingKernels.window(call, op.window(), step.operandType(1), step.operandType(0)));
        launch(step, call, text, PATCH, width);
    }

    static KernelCall call(KernelStepBinding step, String name, int side, int width) {
        String type = CudaType.of(step.resultType(0).dtype());
        String window = side == 0 ? "" : "_" + side + "x" + side;
        return new KernelCall("channel_pooling", name + "_" + type + window + "_x" + width, "channel_pooling.cuh")
                .threads(THREADS);
    }

    /** Neighbouring channels that may be moved at once. */
    static int width(KernelStepBinding step, int operand) {
        DType type = step.operandType(operand).dtype();
        long channels = LAYOUT.channels(step.operandType(operand)).value();
        int width = 16 / type.bytes();
        while (width > 1
                && (channels % width != 0
                        || step.dense(operand) % ((long) width * type.bytes()) != 0
                        || step.resultAddress(0) % ((long) width * type.bytes()) != 0)) {
            width /= 2;
        }
        return width;
    }

    /** Launches a thread for each pack of channels of each square patch of results; {@code text} lacks the walk. */
    static void launch(KernelStepBinding step, KernelCall call, String text, int patch, int width) {
        TensorType result = step.resultType(0);
        long groups = LAYOUT.channels(result).value() / width;
        long across = Math.ceilDiv(LAYOUT.width(result).value(), patch);
        long down = Math.ceilDiv(LAYOUT.height(result).value(), patch);
        long count = result.dim(0).value() * down * across * groups;
        if (count > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("pooling counts no more than 2^31 packs of channels, not " + count);
        }
        String walk = KernelCall.struct(
                "ChannelWalk",
                call.u32(count),
                call.u32(groups),
                call.u32(across),
                call.u32(down),
                call.u64(Divisor.magic(groups)),
                call.u64(Divisor.magic(across)),
                call.u64(Divisor.magic(down)));
        call.body(text + ", " + walk + ");");
        step.launch(call.grid(Math.ceilDiv(count, THREADS)));
    }
}
