package dev.remat.codegen.cuda.family.conv;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.OpTypes;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;

/**
 * Convolutions and their gradients, each group a matrix product that gathers its operands from images. Where groups
 * have one channel, products would be mostly empty, and {@link DepthwiseKernels} take over.
 */
public sealed interface ConvolutionKernel extends CudaKernel {
    /** What is convolved, whichever of its tensors are operands. */
    ConvShape shape(OpTypes types);

    @Override
    default boolean takesEpilogue() {
        return true;
    }

    @Override
    default boolean takesChannelsLast(OpTypes types) {
        return !shape(types).isDepthwise();
    }

    /** Convolutions of 16-bit floats gather 16 bytes of channels at a time, and write as many. */
    @Override
    default boolean prefersChannelsLast(OpTypes types) {
        ConvShape shape = shape(types);
        return shape.dtype().bytes() == 2 && !shape.isDepthwise() && shape.fillsChunks();
    }

    /** A convolution, perhaps with the moments of its result. */
    record Forward(Conv2d op) implements ConvolutionKernel {
        @Override
        public ConvShape shape(OpTypes types) {
            return ConvShape.of(types.operand(0), types.operand(1), types.result(0), op.geometry());
        }

        @Override
        public long workspaceBytes(OpTypes types) {
            ConvShape shape = shape(types);
            return shape.isDepthwise() ? 0 : ForwardConvolution.workspaceBytes(types.architecture(), shape, op);
        }

        @Override
        public void lower(KernelStepBinding step) {
            ConvShape shape = shape(step.types());
            if (shape.isDepthwise()) {
                DepthwiseKernels.forward(shape, step);
            } else {
                ForwardConvolution.lower(shape, op, step);
            }
        }
    }

    /** A convolution turned around. */
    record Transposed(ConvTranspose2d op) implements ConvolutionKernel {
        @Override
        public ConvShape shape(OpTypes types) {
            return ConvShape.of(types.result(0), types.operand(1), types.operand(0), op.geometry());
        }

        @Override
        public long workspaceBytes(OpTypes types) {
            ConvShape shape = shape(types);
            return shape.isDepthwise() ? 0 : TransposedConvolution.workspaceBytes(types.architecture(), shape);
        }

        @Override
        public void lower(KernelStepBinding step) {
            ConvShape shape = shape(step.types());
            if (shape.isDepthwise()) {
                DepthwiseKernels.transposed(shape, step);
            } else {
                TransposedConvolution.lower(shape, step);
            }
        }
    }

    /** The gradient by the filters. */
    record ByFilters(Conv2dWeightGradient op) implements ConvolutionKernel {
        @Override
        public ConvShape shape(OpTypes types) {
            return ConvShape.of(types.operand(0), types.result(0), types.operand(1), op.geometry());
        }

        @Override
        public long workspaceBytes(OpTypes types) {
            ConvShape shape = shape(types);
            return shape.isDepthwise()
                    ? new DepthwiseWeights(shape).workspaceBytes()
                    : WeightGradient.workspaceBytes(types.architecture(), shape);
        }

        @Override
        public void lower(KernelStepBinding step) {
            ConvShape shape = shape(step.types());
            if (shape.isDepthwise()) {
                new DepthwiseWeights(shape).lower(step);
            } else {
                WeightGradient.lower(shape, step);
            }
        }
    }
}
