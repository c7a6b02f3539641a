package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.StepBinding;
import dev.remat.ir.TensorType;

/** Softmax and its logarithm over rows: in registers where a block can hold a row, else read twice. */
final class SoftmaxKernels {
    /** Elements that a thread holds. */
    private static final int HELD = 16;

    private SoftmaxKernels() {}

    static void lower(boolean logarithm, StepBinding step) {
        TensorType type = step.operandType(0);
        RowShape shape = RowShape.held(type, HELD);
        int items = HELD / shape.width();
        String name = (logarithm ? "log_" : "") + type.dtype().label();
        if (shape.packs() > (long) shape.sharing() * items) {
            KernelCall call = new KernelCall("softmax", name + "_streamed", "softmax.cuh");
            call.body("softmax_streamed<" + shape.width() + ", " + logarithm + ", " + step.isAligned(0) + ">("
                    + step.input(call, 0) + ", "
                    + step.result(call, 0) + ", " + call.u32(shape.packs()) + ");");
            step.launch(call.threads(RowShape.THREADS).grid(shape.rows()));
            return;
        }
        KernelCall call = new KernelCall("softmax", name, "softmax.cuh");
        call.body("softmax_held<" + shape.width() + ", " + items + ", " + shape.sharing() + ", " + logarithm + ", "
                + step.isAligned(0) + ">(" + step.input(call, 0) + ", " + step.result(call, 0) + ", " + call.u64(shape.rows()) + ", "
                + call.u32(shape.packs()) + ");");
        step.launch(call.threads(RowShape.THREADS).grid(shape.blocks()));
    }
}
