package dev.remat.codegen.cuda.family.row;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.CtcLoss;
import dev.remat.ir.op.CtcLossGradient;
import java.util.List;

/** Connectionist temporal classification: a block for each sample, and for each frame of it in the gradient. */
public final class CtcKernels {
    private CtcKernels() {}

    /** Its scratch memory has two rows of places for each sample. */
    public static CudaKernel of(CtcLoss op) {
        return CudaKernel.of(types -> Sizes.of(types.operands()).ringBytes(), step -> forward(op, step));
    }

    /** Its scratch memory has {@link Sizes#gradientBytes}. */
    public static CudaKernel of(CtcLossGradient op) {
        return CudaKernel.of(
                types -> gradientSizes(types.operands()).gradientBytes(), step -> gradient(op.forward(), step));
    }

    private static Sizes gradientSizes(List<TensorType> operands) {
        return Sizes.of(operands.subList(1, 5));
    }

    private static void forward(CtcLoss op, KernelStepBinding step) {
        DType type = step.operandType(0).dtype();
        Sizes sizes = Sizes.of(step.operandTypes());
        KernelCall call = call("", step, 0);
        call.body("ctc_loss("
                + String.join(
                        ", ",
                        operands(op, call, step, 0),
                        step.result(call, 0),
                        step.workspace(call, CudaType.accumulator(type), 0, sizes.ringBytes()),
                        String.valueOf(op.zeroInfinity()))
                + ");");
        step.launch(call.threads(RowShape.THREADS).grid(sizes.samples()));
    }

    private static void gradient(CtcLoss op, KernelStepBinding step) {
        String number = CudaType.accumulator(step.operandType(1).dtype());
        Sizes sizes = gradientSizes(step.operandTypes());
        KernelCall shares = call("shares_", step, 1);
        shares.body("ctc_shares("
                + String.join(
                        ", ",
                        operands(op, shares, step, 1),
                        step.workspace(shares, number, 0, sizes.lossBytes()),
                        step.workspace(shares, number, sizes.lossBytes(), sizes.rowBytes()),
                        step.workspace(shares, number, sizes.lossBytes() + sizes.rowBytes(), sizes.ringBytes()),
                        step.workspace(shares, "i32", sizes.numberBytes(), sizes.linkBytes()))
                + ");");
        step.launch(shares.threads(RowShape.THREADS).grid(sizes.samples()));
        KernelCall rows = call("gradient_", step, 1);
        rows.body("ctc_gradient("
                + String.join(
                        ", ",
                        operands(op, rows, step, 1),
                        step.input(rows, 0),
                        step.workspace(rows, "const " + number, 0, sizes.lossBytes()),
                        step.workspace(rows, "const " + number, sizes.lossBytes(), sizes.rowBytes()),
                        step.workspace(rows, "const i32", sizes.numberBytes(), sizes.linkBytes()),
                        step.result(rows, 0),
                        String.valueOf(op.zeroInfinity()))
                + ");");
        step.launch(rows.threads(RowShape.THREADS).grid(sizes.frames() * sizes.samples()));
    }

    private static KernelCall call(String variant, KernelStepBinding step, int first) {
        String types = step.operandType(first).dtype().label() + "_"
                + step.operandType(first + 1).dtype().label();
        return new KernelCall("ctc", variant + types, "ctc.cuh");
    }

    /** The expression of a {@code CtcOperands}. */
    private static String operands(CtcLoss op, KernelCall call, KernelStepBinding step, int first) {
        Sizes sizes = Sizes.of(step.operandTypes().subList(first, first + 4));
        String types = CudaType.of(step.operandType(first).dtype()) + ", "
                + CudaType.of(step.operandType(first + 1).dtype());
        return "CtcOperands<" + types + ">{"
                + String.join(
                        ", ",
                        step.input(call, first),
                        step.input(call, first + 1),
                        step.input(call, first + 2),
                        step.input(call, first + 3),
                        call.u32(sizes.frames),
                        call.u32(sizes.samples),
                        call.u32(sizes.classes),
                        call.u32(sizes.labels),
                        call.u32(op.blank()))
                + "}";
    }

    /** @param bytes of a number as it is computed with */
    private record Sizes(long frames, long samples, long classes, long labels, long bytes) {
        static Sizes of(List<TensorType> operands) {
            TensorType frames = operands.get(0);
            return new Sizes(
                    frames.dim(0).value(),
                    frames.dim(1).value(),
                    frames.dim(2).value(),
                    operands.get(1).dim(1).value(),
                    frames.dtype().accumulator().bytes());
        }

        long places() {
            return 2 * labels + 1;
        }

        long lossBytes() {
            return samples * bytes;
        }

        long rowBytes() {
            return samples * frames * places() * bytes;
        }

        long ringBytes() {
            return samples * 2 * places() * bytes;
        }

        long numberBytes() {
            return lossBytes() + rowBytes() + ringBytes();
        }

        /** A loss a sample, a row of places for each of its frames and two more, and links between its labels. */
        long gradientBytes() {
            return numberBytes() + linkBytes();
        }

        long linkBytes() {
            return samples * labels * Integer.BYTES;
        }
    }
}
