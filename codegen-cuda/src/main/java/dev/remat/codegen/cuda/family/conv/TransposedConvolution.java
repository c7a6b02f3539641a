package dev.remat.codegen.cuda.family.conv;

import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.gemm.GemmOperand;
import dev.remat.codegen.cuda.family.gemm.GemmProblem;
import dev.remat.codegen.cuda.family.gemm.TileModel;
import dev.remat.codegen.cuda.family.move.CopyBox;
import dev.remat.codegen.cuda.family.move.CopyKernels;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.op.ConvGeometry;
import java.util.ArrayList;
import java.util.List;

/**
 * A convolution turned around, which is its gradient by what it reads: input channels by input pixels, summed over
 * output channels and the elements of the filter. Under a stride, pixels are taken phase by phase, so that none is
 * multiplied with zeros; each phase has its part of the filters, laid out anew so that neighbours are summed over.
 *
 * @param rows the pixels' rows, likewise {@code columns}
 */
record TransposedConvolution(ConvShape shape, ConvPhase rows, ConvPhase columns) {
    static void lower(ConvShape shape, KernelStepBinding step) {
        ConvImages images = images(shape);
        ConvScratch scratch = scratch(step.architecture(), shape);
        long outputs = images.lower(step, step.dense(0), scratch.firstAddress(step));
        for (TransposedConvolution phase : phases(shape)) {
            phase.lower(step, images, outputs, scratch.secondAddress(step));
        }
    }

    static long workspaceBytes(Architecture architecture, ConvShape shape) {
        return scratch(architecture, shape).bytes();
    }

    /**
     * One product for each phase, also for those that meet no element of the filter: their pixels are zero. Under a
     * filter of one element the only phase that meets it writes these zeros.
     */
    private static List<TransposedConvolution> phases(ConvShape shape) {
        ConvGeometry geometry = shape.geometry();
        if (isSpread(shape)) {
            return List.of(new TransposedConvolution(
                    shape,
                    ConvPhase.of(shape.height(), 1, geometry.strideH(), 0, 1).getFirst(),
                    ConvPhase.of(shape.width(), 1, geometry.strideW(), 0, 1).getFirst()));
        }
        List<TransposedConvolution> phases = new ArrayList<>();
        for (ConvPhase rows : ConvPhase.of(
                shape.height(), shape.filterH(), geometry.strideH(), geometry.paddingH(), geometry.dilationH())) {
            for (ConvPhase columns : ConvPhase.of(
                    shape.width(), shape.filterW(), geometry.strideW(), geometry.paddingW(), geometry.dilationW())) {
                phases.add(new TransposedConvolution(shape, rows, columns));
            }
        }
        return phases;
    }

    /** Whether outputs meet the corners of boxes that fill the images. */
    private static boolean isSpread(ConvShape shape) {
        ConvGeometry geometry = shape.geometry();
        return shape.taps() == 1
                && geometry.paddingH() == 0
                && geometry.paddingW() == 0
                && geometry.strideH() * geometry.strideW() > 1
                && shape.height() % geometry.strideH() == 0
                && shape.width() % geometry.strideW() == 0;
    }

    /** Partial sums and filters of one phase at a time. */
    private static ConvScratch scratch(Architecture architecture, ConvShape shape) {
        long partial = 0;
        long filters = 0;
        for (TransposedConvolution phase : phases(shape)) {
            partial = Math.max(partial, TileModel.workspaceBytes(architecture, phase.problem()));
            filters = Math.max(filters, phase.filterBytes());
        }
        return new ConvScratch(partial, images(shape).scratchBytes(), filters);
    }

    /** What all phases gather together: every output once for each element of the filter. */
    private static ConvImages images(ConvShape shape) {
        ConvGrid grid = phases(shape).getFirst().grid();
        return ConvImages.of(shape, grid, grid.elements() * shape.taps(), shape.groupInputs());
    }

    private long taps() {
        return rows.taps() * columns.taps();
    }

    private ConvGrid grid() {
        return new ConvGrid(
                shape.images(),
                shape.groupOutputs(),
                shape.outputs(),
                rows.count(),
                columns.count(),
                shape.outHeight(),
                shape.outWidth(),
                rows.axis(),
                columns.axis());
    }

    /** Where no element of the filter is met, a sum over one term that counts as zero. */
    private GemmProblem problem() {
        GemmProblem planes = new GemmProblem(
                shape.dtype(),
                shape.groups(),
                shape.groupInputs(),
                grid().positions(),
                Math.max(1, shape.groupOutputs() * taps()));
        return shape.channelsLast() ? planes.transposed() : planes;
    }

    private void lower(KernelStepBinding step, ConvImages images, long outputs, long scratch) {
        GemmOperand left;
        GemmOperand right;
        if (taps() == 0) {
            left = new GemmOperand.Dense(shape.dtype(), step.dense(1), shape.groupInputs(), 0, true);
            right = new GemmOperand.Dense(shape.dtype(), outputs, grid().positions(), 0, true);
        } else {
            left = filters(step, images.channelsLast(), scratch);
            right = images.operand(outputs, grid(), false);
        }
        place(step).product(problem(), left, right).lower(step);
    }

    private ConvLayout place(KernelStepBinding step) {
        boolean last = shape.channelsLast();
        if (rows.stride() == 1 && columns.stride() == 1) {
            return new ConvLayout.Whole(last, shape.inputs(), shape.groupInputs(), shape.height() * shape.width());
        }
        ConvLayout.Strided place = new ConvLayout.Strided(
                last, shape.inputs(), shape.groupInputs(), shape.height(), shape.width(), rows, columns);
        boolean aligned = step.hasEpilogue()
                || step.resultAddress(0) % (2L * shape.dtype().bytes()) == 0;
        return isSpread(shape) ? new ConvLayout.Spread(place, aligned && columns.stride() % 2 == 0) : place;
    }

    /** Filters of one element are read as they lie; others are copied so that what is summed over runs fastest. */
    private GemmOperand filters(KernelStepBinding step, boolean channelsLast, long scratch) {
        if (shape.taps() == 1) {
            return new GemmOperand.Dense(
                    shape.dtype(), step.dense(1), shape.groupInputs(), shape.groupOutputs(), false);
        }
        long first = rows.firstTap() * shape.filterW() + columns.firstTap();
        int bytes = shape.dtype().bytes();
        CopyKernels.copy(filterBox(channelsLast), bytes, step.dense(1) + first * bytes, scratch, step);
        return new GemmOperand.Dense(shape.dtype(), scratch, shape.groupInputs(), shape.groupOutputs() * taps(), true);
    }

    private long filterBytes() {
        return shape.taps() == 1
                ? 0
                : shape.inputs() * shape.groupOutputs() * taps() * shape.dtype().bytes();
    }

    /** From filters {@code [groups, O, C, h, w]} to the phase's {@code [groups, C, O, h, w]}, or O last. */
    private CopyBox filterBox(boolean channelsLast) {
        long inputs = shape.groupInputs();
        long outputs = shape.groupOutputs();
        long minor = channelsLast ? outputs : 1;
        List<CopyBox.Axis> axes = new ArrayList<>(List.of(
                new CopyBox.Axis(shape.groups(), outputs * inputs * shape.taps(), outputs * inputs * taps()),
                new CopyBox.Axis(inputs, shape.taps(), outputs * taps())));
        CopyBox.Axis output = new CopyBox.Axis(outputs, inputs * shape.taps(), channelsLast ? 1 : taps());
        if (!channelsLast) {
            axes.add(output);
        }
        axes.add(new CopyBox.Axis(rows.taps(), rows.tapStep() * shape.filterW(), columns.taps() * minor));
        axes.add(new CopyBox.Axis(columns.taps(), columns.tapStep(), minor));
        if (channelsLast) {
            axes.add(output);
        }
        return new CopyBox(axes);
    }
}
