package dev.remat.codegen.cuda.family.norm;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.ElementwiseBody;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.OpTypes;
import dev.remat.codegen.cuda.family.reduce.Reducer;
import dev.remat.codegen.cuda.family.reduce.ReductionShape;
import dev.remat.codegen.cuda.family.row.RowShape;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.op.NormStatistics;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Statistics of normalization. Those of rows that threads hold take the elementwise step behind them along, if it
 * normalizes these rows: one launch reads them once. Each is computed as it would be alone, so that a plan which keeps
 * the statistics and normalizes again has the same bits.
 */
public record NormStatisticsKernel(NormStatistics op) implements CudaKernel {
    static final String FAMILY = "normalization";
    /** Elements of a row that a thread holds. */
    private static final int HELD = 32;

    @Override
    public long workspaceBytes(OpTypes types) {
        TensorType x = types.operand(0);
        return isHeld(x) ? 0 : reducer(x).workspaceBytes(shape(x));
    }

    @Override
    public boolean joins(List<KernelStepBinding> steps, KernelStepBinding next) {
        return steps.size() == 1
                && isHeld(steps.getFirst().operandType(0))
                && NormalizedRows.normalizes(next, steps.getFirst(), op);
    }

    @Override
    public void lower(List<KernelStepBinding> steps) {
        if (steps.size() == 1) {
            lower(steps.getFirst());
        } else {
            lowerRows(steps.getFirst(), Optional.of(steps.getLast()));
        }
    }

    @Override
    public void lower(KernelStepBinding step) {
        TensorType x = step.operandType(0);
        if (isHeld(x)) {
            lowerRows(step, Optional.empty());
            return;
        }
        ReductionShape shape = shape(x);
        DType type = step.resultType(0).dtype();
        String number = CudaType.of(type);
        String input =
                (op.centered() ? "Elements<" : "Squares<") + CudaType.of(x.dtype()) + ", " + step.isAligned(0) + ">{";
        reducer(x)
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

    /**
     * Statistics of images with their channels last that the step itself has made, from what its kernel left of each of
     * {@code tiles} parts; from the images where {@code tiles} is 0. The step's operation gives images, mean and
     * variance.
     *
     * @param workspace where the parts begin
     */
    public void ofResult(KernelStepBinding step, long tiles, long workspace) {
        TensorType x = step.resultType(0);
        DType type = step.resultType(1).dtype();
        String number = CudaType.of(type);
        ReductionShape shape = shape(x);
        Reducer reducer = reducer(x);
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

    /** Whether threads hold whole rows of {@code x} in registers. */
    private boolean isHeld(TensorType x) {
        return shape(x).isRuns() && row(x).isHeld(HELD);
    }

    private RowShape row(TensorType x) {
        return RowShape.of(x, shape(x).elements(), HELD);
    }

    private void lowerRows(KernelStepBinding step, Optional<KernelStepBinding> normalizing) {
        TensorType x = step.operandType(0);
        RowShape row = row(x);
        String dtype = x.dtype().label();
        KernelCall call = normalizing.isPresent()
                ? new KernelCall(FAMILY, "rows_" + dtype, "normalized_rows.cuh")
                : new KernelCall(
                        FAMILY, (op.centered() ? "row_moments_" : "row_mean_square_") + dtype, FAMILY + ".cuh");
        String arguments = String.join(
                ", ",
                step.input(call, 0),
                op.centered() ? step.result(call, 0) : call.output(x.dtype().accumulator(), ParameterType.NULL),
                step.result(call, op.centered() ? 1 : 0),
                call.u64(row.rows()),
                call.u32(row.packs()));
        String template = row.width() + ", " + row.items(HELD) + ", " + row.sharing() + ", " + op.centered() + ", "
                + step.isAligned(0);
        if (normalizing.isPresent()) {
            String body = ElementwiseBody.whole(normalizing.get()).declare(call);
            call.body("normalize_rows<" + template + ">(" + arguments + ", " + body + ");");
        } else {
            call.body("row_moments<" + template + ">(" + arguments + ");");
        }
        step.launch(call.threads(RowShape.THREADS).grid(row.blocks()));
    }

    private ReductionShape shape(TensorType x) {
        return ReductionShape.of(x.shape().toArray(), op.axes(), x.dtype());
    }

    private Reducer reducer(TensorType x) {
        String number = CudaType.accumulator(x.dtype());
        String name = (op.centered() ? "moments_" : "mean_square_") + x.dtype().label();
        String reducer = (op.centered() ? "MomentsFold<" : "SumFold<") + number + ">";
        return new Reducer(
                FAMILY, name, reducer, number, op.centered() ? 3 : 1, x.dtype().accumulator());
    }

    /** Where a kernel leaves moments of {@code tiles} parts of each channel for {@link #ofResult} to merge. */
    public long partsOffset(TensorType x, long tiles) {
        return reducer(x).partsOffset(tiles, shape(x).outputs());
    }

    /** Scratch memory that suffices for {@link #ofResult} of {@code x} in no more than {@code tiles} parts. */
    public long ofResultWorkspaceBytes(TensorType x, long tiles) {
        ReductionShape shape = shape(x);
        Reducer reducer = reducer(x);
        return Math.max(reducer.workspaceBytes(shape), reducer.mergeBytes(tiles, shape.outputs()));
    }
}
