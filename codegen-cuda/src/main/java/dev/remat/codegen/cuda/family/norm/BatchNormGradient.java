package dev.remat.codegen.cuda.family.norm;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.elementwise.ElementwiseKernels;
import dev.remat.codegen.cuda.family.reduce.Reducer;
import dev.remat.codegen.cuda.family.reduce.ReductionShape;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.NormalizeGradient;
import java.util.List;
import java.util.function.Function;

/**
 * Gradient of a normalization whose gamma has one number for each mean, as in batch normalization: one reduction gives
 * dgamma and dbeta, and with them dx is a linear function of dy and x with three numbers a channel.
 */
final class BatchNormGradient {
    private static final int COEFFICIENTS = 3;

    private BatchNormGradient() {}

    static boolean fits(NormalizeGradient op, List<TensorType> operands) {
        if (!op.scaled()) {
            return false;
        }
        TensorType x = operands.get(1);
        TensorType gamma = operands.get(op.gammaIndex());
        for (int axis = 0; axis < x.rank(); axis++) {
            long extent = x.dim(axis).value();
            if (extent > 1 && gamma.dim(axis).value() != (op.axes().contains(axis) ? 1 : extent)) {
                return false;
            }
        }
        return true;
    }

    static long workspaceBytes(NormalizeGradient op, List<TensorType> operands) {
        TensorType x = operands.get(1);
        ReductionShape shape = shape(op, x);
        return coefficientBytes(shape, x.dtype()) + reducer(x.dtype()).workspaceBytes(shape);
    }

    private static ReductionShape shape(NormalizeGradient op, TensorType x) {
        return ReductionShape.of(x.shape().toArray(), op.axes(), x.dtype());
    }

    private static long coefficientBytes(ReductionShape shape, DType type) {
        return ComposedStep.padded(
                COEFFICIENTS * shape.outputs() * type.accumulator().bytes());
    }

    private static Reducer reducer(DType type) {
        String number = CudaType.accumulator(type);
        return new Reducer(
                NormalizationKernels.FAMILY,
                "channels_" + type.label(),
                "AlongFold<" + number + ">",
                "Along<" + number + ">",
                2,
                type.accumulator());
    }

    static void lower(NormalizeGradient op, KernelStepBinding step) {
        TensorType x = step.operandType(1);
        DType wide = x.dtype().accumulator();
        ReductionShape shape = shape(op, x);
        long bytes = coefficientBytes(shape, x.dtype());
        boolean aligned = step.isAligned(0) && step.isAligned(1);
        Function<KernelCall, String> input = call -> "Normalized<" + CudaType.of(x.dtype()) + ", " + aligned + ">{"
                + String.join(
                        ", ",
                        step.input(call, 0),
                        step.input(call, 1),
                        op.centered() ? step.input(call, 2) : call.input(wide, ParameterType.NULL),
                        step.input(call, op.varianceIndex()),
                        call.real(wide, op.epsilon()))
                + "}";
        Function<KernelCall, String> output = call -> "ChannelGradient<"
                + CudaType.of(step.operandType(op.gammaIndex()).dtype()) + ", " + CudaType.of(wide) + ">{"
                + String.join(
                        ", ",
                        step.result(call, 1),
                        op.shifted() ? step.result(call, 2) : call.output(wide, ParameterType.NULL),
                        step.workspace(call, CudaType.of(wide), 0, bytes),
                        step.input(call, op.varianceIndex()),
                        step.input(call, op.gammaIndex()),
                        call.real(wide, op.epsilon()),
                        call.real(wide, shape.elements()),
                        call.u64(shape.outputs()),
                        op.centered() ? "true" : "false")
                + "}";
        reducer(x.dtype()).launch(step, shape, input, output, bytes);
        if (step.hasResult(0)) {
            combine(op, step, shape.outputs() * wide.bytes());
        }
    }

    /** {@code dx = a·dy + b·(x − mean) + c}. */
    private static void combine(NormalizeGradient op, KernelStepBinding step, long plane) {
        ComposedStep dx = new ComposedStep(step);
        TensorType x = step.operandType(1);
        TensorType wide = x.with(x.dtype().accumulator());
        TensorType statistic = step.operandType(op.varianceIndex());
        int along = dx.read(step.read(1));
        if (op.centered()) {
            along = dx.binary(Binary.Kind.SUB, wide, along, dx.read(step.read(2)));
        }
        along = dx.binary(Binary.Kind.MUL, wide, dx.read(dx.scratch(statistic, plane)), along);
        int own = dx.binary(Binary.Kind.MUL, wide, dx.read(dx.scratch(statistic, 0)), dx.read(step.read(0)));
        TensorType last = op.centered() ? wide : x;
        int result = dx.binary(Binary.Kind.ADD, last, own, along);
        if (op.centered()) {
            result = dx.binary(Binary.Kind.ADD, x, result, dx.read(dx.scratch(statistic, 2 * plane)));
        }
        ElementwiseKernels.lower(dx.write(result, step.resultAddress(0)));
    }
}
