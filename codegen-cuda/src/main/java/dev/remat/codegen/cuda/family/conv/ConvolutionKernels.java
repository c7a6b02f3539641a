package dev.remat.codegen.cuda.family.conv;

import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.Op;
import java.util.List;
import java.util.Optional;

/**
 * Convolutions and their gradients, each group a matrix product that gathers its operands from images. Where groups
 * have one channel, products would be mostly empty, and {@link DepthwiseKernels} take over.
 */
public final class ConvolutionKernels {
    /** 16-bit elements that are moved at once. */
    private static final long CHUNK = 8;

    private ConvolutionKernels() {}

    public static void forward(Conv2d op, KernelStepBinding step) {
        ConvShape shape = forward(op, step.operandTypes(), List.of(step.resultType(0)));
        if (isDepthwise(shape)) {
            DepthwiseKernels.forward(shape, step);
        } else {
            ForwardConvolution.lower(shape, op, step);
        }
    }

    public static void transposed(ConvTranspose2d op, KernelStepBinding step) {
        ConvShape shape = transposed(op, step.operandTypes(), List.of(step.resultType(0)));
        if (isDepthwise(shape)) {
            DepthwiseKernels.transposed(shape, step);
        } else {
            TransposedConvolution.lower(shape, step);
        }
    }

    public static void weightGradient(Conv2dWeightGradient op, KernelStepBinding step) {
        ConvShape shape = weightGradient(op, step.operandTypes(), List.of(step.resultType(0)));
        if (isDepthwise(shape)) {
            new DepthwiseWeights(shape).lower(step);
        } else {
            WeightGradient.lower(shape, step);
        }
    }

    private static boolean isDepthwise(ConvShape shape) {
        return !shape.channelsLast() && DepthwiseKernels.suit(shape);
    }

    private static ConvShape forward(Conv2d op, List<TensorType> operands, List<TensorType> results) {
        return ConvShape.of(operands.get(0), operands.get(1), results.getFirst(), op.geometry());
    }

    private static ConvShape transposed(ConvTranspose2d op, List<TensorType> operands, List<TensorType> results) {
        return ConvShape.of(results.getFirst(), operands.get(1), operands.get(0), op.geometry());
    }

    private static ConvShape weightGradient(
            Conv2dWeightGradient op, List<TensorType> operands, List<TensorType> results) {
        return ConvShape.of(operands.get(0), results.getFirst(), operands.get(1), op.geometry());
    }

    private static Optional<ConvShape> shape(Op op, List<TensorType> operands, List<TensorType> results) {
        if (op instanceof Conv2d conv) {
            return Optional.of(forward(conv, operands, results));
        }
        if (op instanceof ConvTranspose2d conv) {
            return Optional.of(transposed(conv, operands, results));
        }
        return op instanceof Conv2dWeightGradient conv
                ? Optional.of(weightGradient(conv, operands, results))
                : Optional.empty();
    }

    /** Whether {@code op} is a convolution whose kernels want planes. */
    public static boolean isDepthwise(Op op, List<TensorType> operands, List<TensorType> results) {
        return shape(op, operands, results)
                .filter(ConvolutionKernels::isDepthwise)
                .isPresent();
    }

    /** Whether {@code op} is a convolution of 16-bit floats with whole chunks of channels. */
    public static boolean preferChannelsLast(Op op, List<TensorType> operands, List<TensorType> results) {
        return shape(op, operands, results)
                .filter(shape -> shape.dtype().bytes() == 2 && !isDepthwise(shape))
                .filter(shape -> shape.groupInputs() % CHUNK == 0 && shape.groupOutputs() % CHUNK == 0)
                .isPresent();
    }

    public static long forwardWorkspaceBytes(
            Architecture architecture, Conv2d op, List<TensorType> operands, List<TensorType> results) {
        ConvShape shape = forward(op, operands, results);
        return isDepthwise(shape) ? 0 : ForwardConvolution.workspaceBytes(architecture, shape, op);
    }

    public static long transposedWorkspaceBytes(
            Architecture architecture, ConvTranspose2d op, List<TensorType> operands, List<TensorType> results) {
        ConvShape shape = transposed(op, operands, results);
        return isDepthwise(shape) ? 0 : TransposedConvolution.workspaceBytes(architecture, shape);
    }

    public static long weightGradientWorkspaceBytes(
            Architecture architecture, Conv2dWeightGradient op, List<TensorType> operands, List<TensorType> results) {
        ConvShape shape = weightGradient(op, operands, results);
        return isDepthwise(shape)
                ? new DepthwiseWeights(shape).workspaceBytes()
                : WeightGradient.workspaceBytes(architecture, shape);
    }
}
