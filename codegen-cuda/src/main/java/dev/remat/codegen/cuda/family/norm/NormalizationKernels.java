package dev.remat.codegen.cuda.family.norm;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.reduce.Reducer;
import dev.remat.codegen.cuda.family.reduce.ReductionShape;
import dev.remat.codegen.cuda.family.row.RowShape;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.NormalizeGradient;
import java.util.List;
import java.util.function.Function;

/** Statistics and gradients of normalization. */
public final class NormalizationKernels {
    static final String FAMILY = "normalization";
    /** Elements of a row that a thread holds. */
    private static final int HELD = 32;

    private NormalizationKernels() {}

    public static void statistics(NormStatistics op, KernelStepBinding step) {
        TensorType x = step.operandType(0);
        ReductionShape shape = shape(op, x);
        if (isHeld(shape, x)) {
            rowStatistics(op, step);
            return;
        }
        DType type = step.resultType(0).dtype();
        String number = CudaType.of(type);
        String input =
                (op.centered() ? "Elements<" : "Squares<") + CudaType.of(x.dtype()) + ", " + step.isAligned(0) + ">{";
        statisticsReducer(op, x)
                .launch(
                        step,
                        shape,
                        call -> input + step.input(call, 0) + "}",
                        call -> op.centered()
                                ? "Moments<" + number + ">{" + step.result(call, 0) + ", " + step.result(call, 1) + ", "
                                        + call.real(type, shape.elements()) + "}"
                                : "FoldedMean<" + number + ">{" + step.result(call, 0) + ", "
                                        + call.real(type, shape.elements()) + "}",
                        0);
    }

    /** Whether threads hold whole rows of {@code x} in registers. */
    static boolean isHeld(NormStatistics op, TensorType x) {
        return isHeld(shape(op, x), x);
    }

    /**
     * Statistics of images with their channels last that the step itself has made, from what its kernel left of each of
     * {@code tiles} parts; from the images where {@code tiles} is 0. The step's operation gives images, mean and
     * variance.
     *
     * @param workspace where the parts begin
     */
    public static void ofResult(NormStatistics op, KernelStepBinding step, long tiles, long workspace) {
        TensorType x = step.resultType(0);
        DType type = step.resultType(1).dtype();
        String number = CudaType.of(type);
        ReductionShape shape = shape(op, x);
        Reducer reducer = statisticsReducer(op, x);
        Function<KernelCall, String> moments = call -> "Moments<" + number + ">{" + step.result(call, 1) + ", "
                + step.result(call, 2) + ", " + call.real(type, shape.elements()) + "}";
        if (tiles > 0) {
            reducer.merge(step, tiles, shape.outputs(), moments, workspace);
            return;
        }
        long address = step.resultAddress(0);
        String input = "Elements<" + CudaType.of(x.dtype()) + ", " + (address % 16 == 0) + ">{";
        reducer.launch(step, shape, call -> input + call.input(x.dtype(), address) + "}", moments, workspace);
    }

    private static boolean isHeld(ReductionShape shape, TensorType x) {
        return shape.isRuns() && RowShape.of(x, shape.elements(), HELD).isHeld(HELD);
    }

    private static void rowStatistics(NormStatistics op, KernelStepBinding step) {
        String name = (op.centered() ? "row_moments_" : "row_mean_square_")
                + step.operandType(0).dtype().label();
        KernelCall call = new KernelCall(FAMILY, name, FAMILY + ".cuh");
        call.body("row_moments<" + template(op, step) + ">(" + rows(op, step, call) + ");");
        launchRows(op, step, call);
    }

    private static RowShape row(NormStatistics op, KernelStepBinding step) {
        TensorType x = step.operandType(0);
        return RowShape.of(x, shape(op, x).elements(), HELD);
    }

    /** How {@code row_moments} shares rows among threads. */
    static String template(NormStatistics op, KernelStepBinding step) {
        RowShape row = row(op, step);
        return row.width() + ", " + row.items(HELD) + ", " + row.sharing() + ", " + op.centered() + ", "
                + step.isAligned(0);
    }

    /** Declares what {@code row_moments} takes. */
    static String rows(NormStatistics op, KernelStepBinding step, KernelCall call) {
        RowShape row = row(op, step);
        return String.join(
                ", ",
                step.input(call, 0),
                op.centered()
                        ? step.result(call, 0)
                        : call.output(step.operandType(0).dtype().accumulator(), ParameterType.NULL),
                step.result(call, op.centered() ? 1 : 0),
                call.u64(row.rows()),
                call.u32(row.packs()));
    }

    static void launchRows(NormStatistics op, KernelStepBinding step, KernelCall call) {
        step.launch(call.threads(RowShape.THREADS).grid(row(op, step).blocks()));
    }

    private static ReductionShape shape(NormStatistics op, TensorType x) {
        return ReductionShape.of(x.shape().toArray(), op.axes(), x.dtype());
    }

    private static Reducer statisticsReducer(NormStatistics op, TensorType x) {
        String number = CudaType.accumulator(x.dtype());
        String name = (op.centered() ? "moments_" : "mean_square_") + x.dtype().label();
        String reducer = (op.centered() ? "MomentsFold<" : "SumFold<") + number + ">";
        return new Reducer(
                FAMILY, name, reducer, number, op.centered() ? 3 : 1, x.dtype().accumulator());
    }

    /** Where a kernel leaves moments of {@code tiles} parts of each channel for {@link #ofResult} to merge. */
    public static long partsOffset(NormStatistics op, TensorType x, long tiles) {
        return statisticsReducer(op, x).partsOffset(tiles, shape(op, x).outputs());
    }

    /** Scratch memory that suffices for {@link #ofResult} of {@code x} in no more than {@code tiles} parts. */
    public static long ofResultWorkspaceBytes(NormStatistics op, TensorType x, long tiles) {
        ReductionShape shape = shape(op, x);
        Reducer reducer = statisticsReducer(op, x);
        return Math.max(reducer.workspaceBytes(shape), reducer.mergeBytes(tiles, shape.outputs()));
    }

    public static long statisticsWorkspaceBytes(NormStatistics op, TensorType x) {
        ReductionShape shape = shape(op, x);
        return isHeld(shape, x) ? 0 : statisticsReducer(op, x).workspaceBytes(shape);
    }

    public static void gradient(NormalizeGradient op, KernelStepBinding step) {
        List<TensorType> operands = step.operandTypes();
        if (LayerNormGradient.fits(op, operands)) {
            LayerNormGradient.lower(op, step);
        } else if (BatchNormGradient.fits(op, operands)) {
            BatchNormGradient.lower(op, step);
        } else {
            ComposedNormGradient.lower(op, step);
        }
    }

    /** Whether the kernel of a gradient hands its first result to what is fused. */
    public static boolean takesEpilogue(NormalizeGradient op, List<TensorType> operands) {
        return LayerNormGradient.fits(op, operands);
    }

    /** Whether the kernels of a gradient compute what leads to their first operand. */
    public static boolean takesPrologue(NormalizeGradient op, List<TensorType> operands) {
        return !LayerNormGradient.fits(op, operands) && BatchNormGradient.fits(op, operands);
    }

    public static long gradientWorkspaceBytes(
            Architecture architecture, NormalizeGradient op, List<TensorType> operands) {
        if (LayerNormGradient.fits(op, operands)) {
            return LayerNormGradient.workspaceBytes(architecture, op, operands);
        }
        return BatchNormGradient.fits(op, operands)
                ? BatchNormGradient.workspaceBytes(op, operands)
                : ComposedNormGradient.workspaceBytes(op, operands);
    }
}
