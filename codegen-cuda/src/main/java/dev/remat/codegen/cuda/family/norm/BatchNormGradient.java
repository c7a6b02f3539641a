package dev.remat.codegen.cuda.family.norm;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.ElementwiseBody;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.elementwise.ElementwiseKernel;
import dev.remat.codegen.cuda.family.reduce.Reducer;
import dev.remat.codegen.cuda.family.reduce.ReductionShape;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.NormalizeGradient;
import java.util.List;
import java.util.function.Function;

/**
 * Gradient of a normalization whose gamma has one number for each mean, as in batch normalization: one reduction gives
 * dgamma and dbeta, and with them dx is a linear function of dy and x with three numbers a channel. What leads to dy is
 * computed in both passes.
 */
final class BatchNormGradient {
    /** Those of dx, and the reciprocal root of the variance. */
    private static final int COEFFICIENTS = 4;

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
                NormStatisticsKernel.FAMILY,
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
        Function<KernelCall, String> input = call -> "normalized("
                + String.join(
                        ", ",
                        gradient(step, shape, call),
                        elements(1, step, call),
                        op.centered() ? step.input(call, 2) : call.input(wide, ParameterType.NULL),
                        step.input(call, op.varianceIndex()),
                        call.real(wide, op.epsilon()))
                + ")";
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

    /** dy as it lies in memory, or what computes it. */
    private static String gradient(KernelStepBinding step, ReductionShape shape, KernelCall call) {
        if (step.instruction().operands().getFirst() instanceof Operand.FromMemory) {
            return elements(0, step, call);
        }
        ElementwiseBody body = ElementwiseBody.prologue(step);
        return !shape.rows()
                        && body.columns()
                                .filter(count -> count == shape.outputs())
                                .isPresent()
                ? "ByColumns<Fused>{" + body.byColumns().declare(call) + "}"
                : body.declare(call);
    }

    private static String elements(int operand, KernelStepBinding step, KernelCall call) {
        String type = CudaType.of(step.operandType(operand).dtype());
        return "Elements<" + type + ", " + step.isAligned(operand) + ">{" + step.input(call, operand) + "}";
    }

    /** {@code dx = a·dy + b·(x − mean) + c}. */
    private static void combine(NormalizeGradient op, KernelStepBinding step, long plane) {
        ComposedStep dx = new ComposedStep(step);
        TensorType x = step.operandType(1);
        TensorType wide = x.with(x.dtype().accumulator());
        TensorType statistic = step.operandType(op.varianceIndex());
        int along = dx.operand(1);
        if (op.centered()) {
            along = dx.binary(Binary.Kind.SUB, wide, along, dx.operand(2));
        }
        normalizeByRoots(op, step, dx, along, plane);
        along = dx.binary(Binary.Kind.MUL, wide, dx.read(dx.scratch(statistic, plane)), along);
        int own = dx.binary(Binary.Kind.MUL, wide, dx.read(dx.scratch(statistic, 0)), dx.operand(0));
        TensorType last = op.centered() ? wide : x;
        int result = dx.binary(Binary.Kind.ADD, last, own, along);
        if (op.centered()) {
            result = dx.binary(Binary.Kind.ADD, x, result, dx.read(dx.scratch(statistic, 2 * plane)));
        }
        new ElementwiseKernel().lower(dx.write(result, step.resultAddress(0)));
    }

    /** What normalizes x again on the way to dy takes the roots that are there, one a channel. */
    private static void normalizeByRoots(
            NormalizeGradient op, KernelStepBinding step, ComposedStep dx, int along, long plane) {
        List<Instruction> instructions = step.step().body().instructions();
        List<Operand> statistics = step.instruction().operands().subList(1, op.gammaIndex());
        TensorType x = step.operandType(1);
        TensorType wide = x.with(x.dtype().accumulator());
        for (int i = 0; i < step.anchor(); i++) {
            Instruction each = instructions.get(i);
            if (each.op() instanceof Normalize normalize
                    && normalize.epsilon() == op.epsilon()
                    && each.operands().subList(0, normalize.gammaIndex()).equals(statistics)) {
                int root = dx.read(dx.scratch(step.operandType(op.varianceIndex()), 3 * plane));
                int value = dx.binary(Binary.Kind.MUL, normalize.scaled() ? wide : x, along, root);
                if (normalize.scaled()) {
                    int gamma = dx.operand(each, normalize.gammaIndex());
                    value = dx.binary(Binary.Kind.MUL, normalize.shifted() ? wide : x, value, gamma);
                }
                if (normalize.shifted()) {
                    value = dx.binary(Binary.Kind.ADD, x, value, dx.operand(each, normalize.betaIndex()));
                }
                dx.replace(i, value);
            }
        }
    }
}
