package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.Architecture;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.StepBinding;
import java.util.ArrayList;
import java.util.List;

/**
 * A convolution turned around, which is its gradient by what it reads: input channels by input pixels, summed over output
 * channels and the elements of the kernel. Under a stride, pixels are taken phase by phase, so that none is multiplied
 * with zeros; each phase has its part of the kernels, laid out anew so that neighbours are summed over.
 *
 * @param rows the pixels' rows, likewise {@code columns}
 */
record TransposedConvolution(ConvShape shape, ConvPhase rows, ConvPhase columns) {
    private static final int THREADS = 256;
    private static final long ALIGNMENT = 256;

    /** One product for each phase, also for those that meet no element of the kernel: their pixels are zero. */
    private static List<TransposedConvolution> phases(ConvShape shape) {
        var geometry = shape.geometry();
        List<TransposedConvolution> phases = new ArrayList<>();
        for (ConvPhase rows : ConvPhase.of(shape.height(), shape.kernelH(), geometry.strideH(), geometry.paddingH(),
                geometry.dilationH())) {
            for (ConvPhase columns : ConvPhase.of(shape.width(), shape.kernelW(), geometry.strideW(),
                    geometry.paddingW(), geometry.dilationW())) {
                phases.add(new TransposedConvolution(shape, rows, columns));
            }
        }
        return phases;
    }

    static void lower(ConvShape shape, StepBinding step) {
        long kernels = partialBytes(step.architecture(), shape);
        for (TransposedConvolution phase : phases(shape)) {
            phase.lower(step, kernels);
        }
    }

    /** Partial sums of one phase at a time, then the kernels of one phase. */
    static long workspaceBytes(Architecture architecture, ConvShape shape) {
        long kernels = phases(shape).stream().mapToLong(TransposedConvolution::kernelBytes).max().orElseThrow();
        long partial = partialBytes(architecture, shape);
        return kernels == 0 ? partial : Math.ceilDiv(partial, ALIGNMENT) * ALIGNMENT + kernels;
    }

    private static long partialBytes(Architecture architecture, ConvShape shape) {
        return phases(shape).stream()
                .mapToLong(phase -> TileModel.workspaceBytes(architecture, phase.problem()))
                .max()
                .orElseThrow();
    }

    private long taps() {
        return rows.taps() * columns.taps();
    }

    private long kernelBytes() {
        return shape.taps() == 1 ? 0 : shape.inputs() * shape.groupOutputs() * taps() * shape.dtype().bytes();
    }

    /** Where no element of the kernel is met, a sum over one term that counts as zero. */
    private GemmProblem problem() {
        return new GemmProblem(shape.dtype(), shape.groups(), shape.groupInputs(),
                shape.images() * rows.count() * columns.count(), Math.max(1, shape.groupOutputs() * taps()));
    }

    private void lower(StepBinding step, long partialBytes) {
        GemmOperand kernels;
        GemmOperand outputs;
        if (taps() == 0) {
            kernels = new DenseOperand(shape.dtype(), step.dense(1), shape.groupInputs(), 0, true);
            outputs = new DenseOperand(shape.dtype(), step.dense(0), problem().n(), 0, true);
        } else {
            kernels = kernels(step, partialBytes);
            outputs = outputs(step.dense(0));
        }
        new Gemm(problem(), kernels, outputs, place()).lower(step);
    }

    private GemmOperand outputs(long address) {
        if (shape.isPointwise()) {
            return new PlaneOperand(shape.dtype(), address, shape.images(), shape.groupOutputs(), shape.outputs(),
                    shape.outArea(), false);
        }
        ConvGrid grid = new ConvGrid(shape.images(), shape.groupOutputs(), shape.outputs(), rows.count(),
                columns.count(), shape.outHeight(), shape.outWidth(), rows.axis(), columns.axis());
        return new TapOperand(shape.dtype(), address, grid, false);
    }

    private GemmPlace place() {
        return rows.stride() == 1 && columns.stride() == 1
                ? new PlanePlace(shape.inputs(), shape.groupInputs(), shape.height() * shape.width())
                : new StridedPlace(shape.inputs(), shape.groupInputs(), shape.height(), shape.width(), rows, columns);
    }

    /** Kernels of one element are read as they lie; others are copied so that what is summed over runs fastest. */
    private GemmOperand kernels(StepBinding step, long partialBytes) {
        if (shape.taps() == 1) {
            return new DenseOperand(shape.dtype(), step.dense(1), shape.groupInputs(), shape.groupOutputs(), false);
        }
        long offset = Math.ceilDiv(partialBytes, ALIGNMENT) * ALIGNMENT;
        String type = CudaType.of(shape.dtype());
        KernelCall call = new KernelCall("convolution", "kernels_" + shape.dtype().label(), "convolution.cuh");
        String from = step.input(call, 1);
        String to = step.workspace(call, type, offset, kernelBytes());
        long elements = kernelBytes() / shape.dtype().bytes();
        call.body("kernels_by_input(" + from + ", " + to + ", KernelPart{" + String.join(", ", call.u32(rows.taps()),
                call.u32(columns.taps()), call.u32(rows.firstTap()), call.u32(columns.firstTap()),
                call.u32(rows.tapStep()), call.u32(columns.tapStep()), call.u32(shape.kernelW()),
                call.u32(shape.taps()), call.u32(shape.groupInputs()), call.u32(shape.groupOutputs()),
                call.u32(elements), call.u64(Divisor.magic(columns.taps())), call.u64(Divisor.magic(taps())),
                call.u64(Divisor.magic(shape.groupOutputs())), call.u64(Divisor.magic(shape.groupInputs()))) + "});");
        step.launch(call.threads(THREADS).grid(Math.ceilDiv(elements, THREADS)));
        return new DenseOperand(shape.dtype(), step.step().workspace().offset() + offset, shape.groupInputs(),
                shape.groupOutputs() * taps(), true);
    }
}
