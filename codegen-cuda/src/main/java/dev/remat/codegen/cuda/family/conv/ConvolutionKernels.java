package dev.remat.codegen.cuda.family.conv;

import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import java.util.List;

/**
 * Convolutions and their gradients, each group a matrix product that gathers its operands from images. Where groups
 * have one channel, products would be mostly empty, and {@link DepthwiseKernels} take over.
 */
public final class ConvolutionKernels {
    private ConvolutionKernels() {}

    public static void forward(Conv2d op, KernelStepBinding step) {
        ConvShape shape = ConvShape.of(step.operandType(0), step.operandType(1), step.resultType(0), op.geometry());
        if (DepthwiseKernels.suit(shape)) {
            DepthwiseKernels.forward(shape, step);
        } else {
            ForwardConvolution.lower(shape, step);
        }
    }

    public static void transposed(ConvTranspose2d op, KernelStepBinding step) {
        ConvShape shape = ConvShape.of(step.resultType(0), step.operandType(1), step.operandType(0), op.geometry());
        if (DepthwiseKernels.suit(shape)) {
            DepthwiseKernels.transposed(shape, step);
        } else {
            TransposedConvolution.lower(shape, step);
        }
    }

    public static void weightGradient(Conv2dWeightGradient op, KernelStepBinding step) {
        ConvShape shape = ConvShape.of(step.operandType(0), step.resultType(0), step.operandType(1), op.geometry());
        if (DepthwiseKernels.suit(shape)) {
            new DepthwiseWeights(shape).lower(step);
        } else {
            WeightGradient.lower(shape, step);
        }
    }

    public static long forwardWorkspaceBytes(
            Architecture architecture, Conv2d op, List<TensorType> operands, List<TensorType> results) {
        ConvShape shape = ConvShape.of(operands.get(0), operands.get(1), results.getFirst(), op.geometry());
        return DepthwiseKernels.suit(shape) ? 0 : ForwardConvolution.workspaceBytes(architecture, shape);
    }

    public static long transposedWorkspaceBytes(
            Architecture architecture, ConvTranspose2d op, List<TensorType> operands, List<TensorType> results) {
        ConvShape shape = ConvShape.of(results.getFirst(), operands.get(1), operands.get(0), op.geometry());
        return DepthwiseKernels.suit(shape) ? 0 : TransposedConvolution.workspaceBytes(architecture, shape);
    }

    public static long weightGradientWorkspaceBytes(
            Architecture architecture, Conv2dWeightGradient op, List<TensorType> operands, List<TensorType> results) {
        ConvShape shape = ConvShape.of(operands.get(0), results.getFirst(), operands.get(1), op.geometry());
        return DepthwiseKernels.suit(shape)
                ? new DepthwiseWeights(shape).workspaceBytes()
                : WeightGradient.workspaceBytes(architecture, shape);
    }
}
