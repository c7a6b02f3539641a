package dev.remat.codegen.cuda.family.row;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CrossEntropyGradient;
import dev.remat.ir.op.MeanLoss;
import java.util.List;

/** The loss of classification and its gradient. */
public final class CrossEntropyKernels {
    private static final String FAMILY = "cross_entropy";
    private static final String HEADER = "cross_entropy.cuh";
    /** Threads of the one block that goes over all targets. */
    private static final int TARGET_THREADS = 1024;

    private CrossEntropyKernels() {}

    public static CudaKernel of(CrossEntropy op) {
        return CudaKernel.of(types -> workspaceBytes(types.operands()), step -> forward(op, step));
    }

    public static CudaKernel of(CrossEntropyGradient op) {
        return CudaKernel.of(
                types -> gradientWorkspaceBytes(op.forward(), types.operands()), step -> gradient(op.forward(), step));
    }

    public static CudaKernel of(MeanLoss op) {
        return CudaKernel.of(_ -> 0L, step -> {
            DType type = step.operandType(0).dtype();
            KernelCall mean = new KernelCall(FAMILY, "mean_" + name(type, step.operandType(1)), HEADER);
            String losses = step.input(mean, 0);
            mean(mean, losses, step, op.ignoreIndex());
        });
    }

    /** Launches what gives result 0 of a step whose targets are operand 1. */
    private static void mean(KernelCall mean, String losses, KernelStepBinding step, long ignoreIndex) {
        mean.body("mean_loss("
                + String.join(
                        ", ",
                        losses,
                        step.input(mean, 1),
                        step.result(mean, 0),
                        mean.u64(step.operandType(1).elements()),
                        mean.i64(ignoreIndex))
                + ");");
        step.launch(mean.threads(TARGET_THREADS));
    }

    private static void forward(CrossEntropy op, KernelStepBinding step) {
        TensorType logits = step.operandType(0);
        DType type = logits.dtype();
        RowShape shape = RowShape.streamed(logits);
        long bytes = workspaceBytes(step.operandTypes());
        String number = CudaType.accumulator(type);
        KernelCall rows = new KernelCall(FAMILY, name(type, step.operandType(1)), HEADER);
        String arguments = String.join(
                ", ",
                step.input(rows, 0),
                step.input(rows, 1),
                step.result(rows, 1),
                op.perRow() && step.resultAddress(0) != ParameterType.NULL
                        ? step.result(rows, 0)
                        : step.workspace(rows, number, 0, bytes),
                rows.u64(shape.rows()),
                rows.u32(shape.packs()),
                rows.real(type, op.labelSmoothing()),
                rows.i64(op.ignoreIndex()));
        rows.body("cross_entropy<" + shape.width() + ", " + shape.sharing() + ", " + (op.labelSmoothing() > 0) + ", "
                + step.isAligned(0) + ">(" + arguments + ");");
        step.launch(rows.threads(RowShape.THREADS).grid(shape.blocks()));
        if (op.perRow()) {
            return;
        }
        KernelCall mean = new KernelCall(FAMILY, "mean_" + name(type, step.operandType(1)), HEADER);
        mean(mean, step.workspace(mean, "const " + number, 0, bytes), step, op.ignoreIndex());
    }

    private static void gradient(CrossEntropy op, KernelStepBinding step) {
        TensorType logits = step.operandType(1);
        DType type = logits.dtype();
        RowShape shape = RowShape.streamed(logits);
        long bytes = gradientWorkspaceBytes(op, step.operandTypes());
        String number = CudaType.accumulator(type);
        if (!op.perRow()) {
            KernelCall scale = new KernelCall(FAMILY, "scale_" + name(type, step.operandType(2)), HEADER);
            int all = step.operandTypes().size() == 5 ? 4 : 2;
            scale.body("gradient_scale("
                    + String.join(
                            ", ",
                            step.input(scale, 0),
                            step.input(scale, all),
                            step.workspace(scale, number, 0, bytes),
                            scale.u64(step.operandType(all).elements()),
                            scale.i64(op.ignoreIndex()))
                    + ");");
            step.launch(scale.threads(TARGET_THREADS));
        }
        KernelCall rows = new KernelCall(FAMILY, "gradient_" + name(type, step.operandType(2)), HEADER);
        double share = op.labelSmoothing() / (shape.packs() * shape.width());
        String arguments = String.join(
                ", ",
                op.perRow()
                        ? step.input(rows, 0) + " + " + row(shape)
                        : step.workspace(rows, "const " + number, 0, bytes),
                step.input(rows, 1),
                step.input(rows, 2),
                step.input(rows, 3),
                step.result(rows, 0),
                rows.u64(shape.rows()),
                rows.u32(shape.packs()),
                rows.real(type, op.labelSmoothing()),
                rows.real(type, share),
                rows.i64(op.ignoreIndex()));
        rows.body("cross_entropy_gradient<" + shape.width() + ", " + shape.sharing() + ", " + step.isAligned(1) + ">("
                + arguments + ");");
        step.launch(rows.threads(RowShape.THREADS).grid(shape.blocks()));
    }

    /** Which row a thread works on. */
    private static String row(RowShape shape) {
        return "(static_cast<u64>(blockIdx.x) * " + RowShape.THREADS / shape.sharing() + " + threadIdx.x / "
                + shape.sharing() + ")";
    }

    private static String name(DType type, TensorType targets) {
        return type.label() + "_" + targets.dtype().label();
    }

    /** The losses of the rows. */
    private static long workspaceBytes(List<TensorType> operands) {
        return operands.get(1).elements()
                * operands.getFirst().dtype().accumulator().bytes();
    }

    /** What gradients are multiplied by, where that is the same for all rows. */
    private static long gradientWorkspaceBytes(CrossEntropy op, List<TensorType> operands) {
        return op.perRow() ? 0 : operands.getFirst().dtype().bytes();
    }
}
