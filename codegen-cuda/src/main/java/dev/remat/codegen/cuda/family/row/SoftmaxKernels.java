package dev.remat.codegen.cuda.family.row;

import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Softmax;

/** Softmax and its logarithm over rows: in registers where a block can hold a row, else read twice. */
public final class SoftmaxKernels {
    /** Elements that a thread holds. */
    private static final int HELD = 16;

    private SoftmaxKernels() {}

    public static void lower(Softmax op, KernelStepBinding step) {
        TensorType type = step.operandType(0);
        RowShape shape = RowShape.held(type, HELD);
        String name = (op.logarithm() ? "log_" : "") + type.dtype().label();
        KernelCall call = new KernelCall("softmax", shape.isHeld(HELD) ? name : name + "_streamed", "softmax.cuh");
        String rows = step.input(call, 0) + ", " + step.result(call, 0) + ", ";
        String mode = op.logarithm() + ", " + step.isAligned(0) + ">(";
        call.threads(RowShape.THREADS);
        if (shape.isHeld(HELD)) {
            call.body("softmax_held<" + shape.width() + ", " + shape.items(HELD) + ", " + shape.sharing() + ", " + mode
                    + rows + call.u64(shape.rows()) + ", " + call.u32(shape.packs()) + ");");
            step.launch(call.grid(shape.blocks()));
        } else {
            call.body("softmax_streamed<" + shape.width() + ", " + mode + rows + call.u32(shape.packs()) + ");");
            step.launch(call.grid(shape.rows()));
        }
    }
}
