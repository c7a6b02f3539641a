package dev.remat.codegen.cuda.family.reduce;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.ElementwiseBody;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Reduce;
import java.util.Locale;

/** Sums, means and maxima over axes, of what elementwise instructions make of memory. */
public final class ReduceKernels {
    private ReduceKernels() {}

    public static void lower(Reduce op, KernelStepBinding step) {
        TensorType operand = step.operandType(0);
        ReductionShape shape = shape(op, operand);
        ElementwiseBody body = ElementwiseBody.prologue(step);
        reducer(op, operand)
                .launch(
                        step,
                        shape,
                        call -> body.declare(withFold(op, call)),
                        call -> output(op, step, shape, withFold(op, call)),
                        0);
    }

    private static KernelCall withFold(Reduce op, KernelCall call) {
        return switch (op.kind()) {
            case SUM, MEAN, MAX -> call;
            case MIN, PROD -> call.header("folds.cuh");
        };
    }

    public static long workspaceBytes(Reduce op, TensorType operand) {
        return reducer(op, operand).workspaceBytes(shape(op, operand));
    }

    private static ReductionShape shape(Reduce op, TensorType operand) {
        return ReductionShape.of(operand.shape().toArray(), op.axes(), operand.dtype());
    }

    private static Reducer reducer(Reduce op, TensorType operand) {
        String name = op.kind().name().toLowerCase(Locale.ROOT);
        String number = CudaType.accumulator(operand.dtype());
        String reducer = switch (op.kind()) {
            case SUM, MEAN -> "SumFold<" + number + ">";
            case MAX -> "MaxFold<" + number + ">";
            case MIN -> "MinFold<" + number + ">";
            case PROD -> "ProductFold<" + number + ">";
        };
        return new Reducer(
                "reduce",
                name + "_" + operand.dtype().label(),
                reducer,
                number,
                1,
                operand.dtype().accumulator());
    }

    private static String output(Reduce op, KernelStepBinding step, ReductionShape shape, KernelCall call) {
        DType type = step.resultType(0).dtype();
        String to = step.result(call, 0);
        return switch (op.kind()) {
            case SUM, MAX, MIN, PROD -> "Folded<" + CudaType.of(type) + ">{" + to + "}";
            case MEAN -> "FoldedMean<" + CudaType.of(type) + ">{" + to + ", " + call.real(type, shape.elements()) + "}";
        };
    }
}
