package dev.remat.codegen.cuda.family.conv;

import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.gemm.Gemm;
import dev.remat.codegen.cuda.family.gemm.GemmOperand;
import dev.remat.codegen.cuda.family.gemm.GemmProblem;
import dev.remat.codegen.cuda.family.gemm.TileModel;
import dev.remat.codegen.cuda.family.move.CopyBox;
import dev.remat.codegen.cuda.family.move.CopyKernels;
import dev.remat.codegen.cuda.family.norm.NormStatisticsKernel;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.Alignment;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.ImageLayout;
import java.util.List;

/** A convolution as a product: output channels by output pixels, or these by those, summed over taps. */
final class ForwardConvolution {
    private static final long MOMENTS_ALIGNMENT = 256;

    private ForwardConvolution() {}

    static void lower(ConvShape shape, Conv2d op, KernelStepBinding step) {
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
        ConvLayout place =
                new ConvLayout.Whole(shape.channelsLast(), shape.outputs(), shape.groupOutputs(), shape.outArea());
        Gemm product = place.product(problem, filters, pixels);
        if (!op.moments()) {
            product.lower(step);
            return;
        }
        NormStatisticsKernel statistics = new NormStatisticsKernel(op.statistics());
        long moments = momentsOffset(scratch);
        long tiles = product.wholeTiles(step);
        if (tiles == 0 || tiles > TileModel.mostTiles(step.architecture(), problem)) {
            product.lower(step);
            statistics.ofResult(step, 0, moments);
        } else {
            long parts = statistics.partsOffset(step.resultType(0), tiles);
            product.lowerWithMoments(step, moments + parts);
            statistics.ofResult(step, tiles, moments);
        }
    }

    static long workspaceBytes(Architecture architecture, ConvShape shape, Conv2d op) {
        ConvScratch scratch = scratch(architecture, shape);
        return op.moments() ? momentsOffset(scratch) + momentsBytes(architecture, shape, op) : scratch.bytes();
    }

    /** Moments lie behind what the convolution itself needs. */
    private static long momentsOffset(ConvScratch scratch) {
        return Alignment.up(scratch.bytes(), MOMENTS_ALIGNMENT);
    }

    /** Of every tile, or of the parts in which the result is read. */
    private static long momentsBytes(Architecture architecture, ConvShape shape, Conv2d op) {
        long tiles = TileModel.mostTiles(architecture, problem(shape));
        TensorType y = new TensorType(
                shape.dtype(),
                ImageLayout.NHWC.shape(
                        Dim.of(shape.images()),
                        Dim.of(shape.outputs()),
                        Dim.of(shape.outHeight()),
                        Dim.of(shape.outWidth())));
        return new NormStatisticsKernel(op.statistics()).ofResultWorkspaceBytes(y, tiles);
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
