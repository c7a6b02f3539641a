package dev.remat.codegen.cuda.family.conv;

import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.gemm.Gemm;
import dev.remat.codegen.cuda.family.gemm.GemmProblem;
import dev.remat.codegen.cuda.family.gemm.ResultLayout;
import dev.remat.codegen.cuda.family.gemm.TileModel;
import dev.remat.codegen.cuda.target.Architecture;

/** A convolution's gradient by its filters as a product: output channels by taps, summed over output pixels. */
final class WeightGradient {
    private WeightGradient() {}

    static void lower(ConvShape shape, KernelStepBinding step) {
        ConvImages inputs = ForwardConvolution.images(shape);
        ConvImages outputs = outputs(shape);
        ConvScratch scratch = scratch(step.architecture(), shape);
        long x = inputs.lower(step, step.dense(0), scratch.firstAddress(step));
        long dy = outputs.lower(step, step.dense(1), scratch.secondAddress(step));
        GemmProblem problem = problem(shape);
        ResultLayout place = inputs.channelsLast() && shape.taps() > 1
                ? new ConvLayout.Filters(shape)
                : new ResultLayout.Dense(problem.m(), problem.n());
        new Gemm(problem, outputs.operand(dy, outputs.grid(), true), inputs.operand(x, inputs.grid(), true), place)
                .lower(step);
    }

    static long workspaceBytes(Architecture architecture, ConvShape shape) {
        return scratch(architecture, shape).bytes();
    }

    private static GemmProblem problem(ConvShape shape) {
        return new GemmProblem(
                shape.dtype(),
                shape.groups(),
                shape.groupOutputs(),
                shape.groupInputs() * shape.taps(),
                shape.images() * shape.outArea());
    }

    private static ConvImages outputs(ConvShape shape) {
        ConvGrid grid = ConvGrid.outputs(shape);
        return ConvImages.of(shape, grid, grid.elements(), shape.groupInputs() * shape.taps());
    }

    private static ConvScratch scratch(Architecture architecture, ConvShape shape) {
        return new ConvScratch(
                TileModel.workspaceBytes(architecture, problem(shape)),
                ForwardConvolution.images(shape).scratchBytes(),
                outputs(shape).scratchBytes());
    }
}
