package dev.remat.codegen.cuda.family.conv;

import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.gemm.GemmOperand;
import dev.remat.codegen.cuda.family.gemm.GemmProblem;
import dev.remat.codegen.cuda.family.gemm.TileModel;
import dev.remat.codegen.cuda.family.move.CopyBox;
import dev.remat.codegen.cuda.family.move.CopyKernels;
import dev.remat.codegen.cuda.target.Architecture;
import java.util.List;

/** A convolution as a product: output channels by output pixels, or these by those, summed over taps. */
final class ForwardConvolution {
    private ForwardConvolution() {}

    static void lower(ConvShape shape, KernelStepBinding step) {
        ConvImages images = images(shape);
        ConvScratch scratch = scratch(step.architecture(), shape);
        GemmProblem problem = problem(shape);
        long x = images.lower(step, step.dense(0), scratch.firstAddress(step));
        long w = step.dense(1);
        if (copiesFilters(shape, images)) {
            w = scratch.secondAddress(step);
            CopyKernels.copy(filters(shape), shape.dtype().bytes(), step.dense(1), w, step);
        }
        GemmOperand filters = new GemmOperand.Dense(shape.dtype(), w, shape.groupOutputs(), problem.k(), true);
        GemmOperand pixels = images.operand(x, images.grid(), false);
        ConvLayout place = shape.channelsLast()
                ? new ConvLayout.Channels(shape.outputs(), shape.groupOutputs())
                : new ConvLayout.Planes(shape.outputs(), shape.groupOutputs(), shape.outArea());
        place.product(problem, filters, pixels).lower(step);
    }

    static long workspaceBytes(Architecture architecture, ConvShape shape) {
        return scratch(architecture, shape).bytes();
    }

    private static GemmProblem problem(ConvShape shape) {
        GemmProblem planes = new GemmProblem(
                shape.dtype(),
                shape.groups(),
                shape.groupOutputs(),
                shape.images() * shape.outArea(),
                shape.groupInputs() * shape.taps());
        return shape.channelsLast() ? planes.transposed() : planes;
    }

    static ConvImages images(ConvShape shape) {
        ConvGrid grid = ConvGrid.forward(shape);
        return ConvImages.of(shape, grid, grid.positions() * shape.inputs() * shape.taps(), shape.groupOutputs());
    }

    /** Filters are laid out as the images that they meet. */
    private static boolean copiesFilters(ConvShape shape, ConvImages images) {
        return images.channelsLast() && (images.copied() || shape.taps() > 1);
    }

    /** From filters {@code [O, C, h, w]} to {@code [O, h, w, C]}. */
    private static CopyBox filters(ConvShape shape) {
        long taps = shape.taps();
        long inputs = shape.groupInputs();
        return new CopyBox(List.of(
                new CopyBox.Axis(shape.outputs(), inputs * taps, inputs * taps),
                new CopyBox.Axis(taps, 1, inputs),
                new CopyBox.Axis(inputs, taps, 1)));
    }

    private static ConvScratch scratch(Architecture architecture, ConvShape shape) {
        ConvImages images = images(shape);
        long filters = copiesFilters(shape, images)
                ? shape.outputs()
                        * shape.groupInputs()
                        * shape.taps()
                        * shape.dtype().bytes()
                : 0;
        return new ConvScratch(TileModel.workspaceBytes(architecture, problem(shape)), images.scratchBytes(), filters);
    }
}
