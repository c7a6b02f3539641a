package dev.remat.codegen.cuda.family.norm;

import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.elementwise.ElementwiseKernel;
import dev.remat.codegen.cuda.family.reduce.ReduceKernel;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Reduce;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Gradient of any normalization by reductions and elementwise kernels: means of g and g·h over the axes, sums of dy·h
 * and dy where gamma repeats, and dx from them. It reads dy and x several times, which group normalization and very
 * long rows have to bear.
 */
final class ComposedNormGradient {
    private ComposedNormGradient() {}

    /** Two means, then what their reductions need. */
    static long workspaceBytes(NormalizeGradient op, List<TensorType> operands) {
        TensorType wide = wide(operands);
        Reduce sum = new Reduce(Reduce.Kind.SUM, repeated(op, operands));
        return 2 * meanBytes(op, operands)
                + Math.max(
                        new ReduceKernel(mean(op)).workspaceBytes(wide),
                        op.scaled() ? new ReduceKernel(sum).workspaceBytes(wide) : 0);
    }

    private static TensorType wide(List<TensorType> operands) {
        TensorType x = operands.get(1);
        return x.with(x.dtype().accumulator());
    }

    private static Reduce mean(NormalizeGradient op) {
        return new Reduce(Reduce.Kind.MEAN, op.axes());
    }

    private static long meanBytes(NormalizeGradient op, List<TensorType> operands) {
        return ComposedStep.padded(operands.get(op.varianceIndex()).bytes());
    }

    /** Axes along which gamma repeats. */
    private static List<Integer> repeated(NormalizeGradient op, List<TensorType> operands) {
        if (!op.scaled()) {
            return List.of();
        }
        TensorType gamma = operands.get(op.gammaIndex());
        return IntStream.range(0, gamma.rank())
                .filter(axis -> gamma.dim(axis).value() == 1)
                .boxed()
                .toList();
    }

    static void lower(NormalizeGradient op, KernelStepBinding step) {
        List<TensorType> operands = step.operandTypes();
        long mean = meanBytes(op, operands);
        ByteRange all = step.step().workspace();
        ByteRange rest = new ByteRange(all.offset() + 2 * mean, all.bytes() - 2 * mean);
        if (op.centered()) {
            ComposedStep part = new ComposedStep(step);
            reduce(part, mean(op), operands, scaled(part, op, step), all.offset(), rest);
        }
        ComposedStep products = new ComposedStep(step);
        int product = products.binary(
                Binary.Kind.MUL, wide(operands), scaled(products, op, step), normalized(products, op, step));
        reduce(products, mean(op), operands, product, all.offset() + mean, rest);
        Reduce sum = new Reduce(Reduce.Kind.SUM, repeated(op, operands));
        if (op.scaled() && step.hasResult(1)) {
            ComposedStep part = new ComposedStep(step);
            int along =
                    part.binary(Binary.Kind.MUL, wide(operands), part.read(step.read(0)), normalized(part, op, step));
            reduce(part, sum, operands, along, step.resultAddress(1), rest);
        }
        if (op.shifted() && step.hasResult(2)) {
            ComposedStep part = new ComposedStep(step);
            int dy = part.apply(new Cast(wide(operands).dtype()), wide(operands), part.read(step.read(0)));
            reduce(part, sum, operands, dy, step.resultAddress(2), rest);
        }
        if (step.resultAddress(0) != ParameterType.NULL) {
            combine(op, step, mean);
        }
    }

    /** dy·gamma. */
    private static int scaled(ComposedStep part, NormalizeGradient op, KernelStepBinding step) {
        TensorType wide = wide(step.operandTypes());
        int dy = part.apply(new Cast(wide.dtype()), wide, part.read(step.read(0)));
        return op.scaled() ? part.binary(Binary.Kind.MUL, wide, dy, part.read(step.read(op.gammaIndex()))) : dy;
    }

    private static int normalized(ComposedStep part, NormalizeGradient op, KernelStepBinding step) {
        TensorType wide = wide(step.operandTypes());
        int x = part.read(step.read(1));
        Normalize normalize = new Normalize(op.axes(), op.epsilon(), op.centered(), false, false);
        return op.centered()
                ? part.apply(normalize, wide, x, part.read(step.read(2)), part.read(step.read(3)))
                : part.apply(normalize, wide, x, part.read(step.read(2)));
    }

    private static void reduce(
            ComposedStep part, Reduce op, List<TensorType> operands, int value, long to, ByteRange workspace) {
        TensorType result = op.infer(List.of(wide(operands))).getFirst();
        new ReduceKernel(op).lower(part.write(part.apply(op, result, value), to, workspace));
    }

    /** {@code dx = r·(g − mean(g) − h·mean(g·h))}. */
    private static void combine(NormalizeGradient op, KernelStepBinding step, long mean) {
        ComposedStep dx = new ComposedStep(step);
        TensorType x = step.operandType(1);
        TensorType wide = wide(step.operandTypes());
        TensorType statistic = step.operandType(op.varianceIndex());
        int value = scaled(dx, op, step);
        if (op.centered()) {
            value = dx.binary(Binary.Kind.SUB, wide, value, dx.read(dx.scratch(statistic, 0)));
        }
        int along = dx.binary(Binary.Kind.MUL, wide, normalized(dx, op, step), dx.read(dx.scratch(statistic, mean)));
        value = dx.binary(Binary.Kind.SUB, wide, value, along);
        // Without mean and gamma a normalization multiplies by r alone.
        Normalize byRoot = new Normalize(op.axes(), op.epsilon(), false, false, false);
        int result = dx.apply(byRoot, x, value, dx.read(step.read(op.varianceIndex())));
        new ElementwiseKernel().lower(dx.write(result, step.resultAddress(0)));
    }
}
