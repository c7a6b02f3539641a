package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.Architecture;
import dev.remat.codegen.cuda.emit.StepBinding;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import java.util.List;

/** Convolutions and their gradients as implicit matrix products. */
final class ConvolutionKernels {
    private ConvolutionKernels() {}

    static void forward(Conv2d op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static void transposed(ConvTranspose2d op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static void weightGradient(Conv2dWeightGradient op, StepBinding step) {
        throw new IllegalStateException("no kernels yet");
    }

    static long forwardWorkspaceBytes(
            Architecture architecture, Conv2d op, List<TensorType> operands, List<TensorType> results) {
        return 0;
    }

    static long transposedWorkspaceBytes(
            Architecture architecture, ConvTranspose2d op, List<TensorType> operands, List<TensorType> results) {
        return 0;
    }

    static long weightGradientWorkspaceBytes(
            Architecture architecture, Conv2dWeightGradient op, List<TensorType> operands, List<TensorType> results) {
        return 0;
    }
}
