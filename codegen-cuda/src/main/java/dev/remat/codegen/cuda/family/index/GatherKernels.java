package dev.remat.codegen.cuda.family.index;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.move.Word;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.ScatterAdd;
import java.util.List;

/** Picks along an axis, and their gradient. */
public final class GatherKernels {
    private static final int THREADS = 256;
    /** Up to so many indices on the axis, or comparisons in all, every result looks at all of them. */
    private static final long FEW_PICKS = 32;

    private static final long FEW_COMPARISONS = 1L << 24;

    private GatherKernels() {}

    /** The three axes that the others join into, around the one that is picked along. */
    private record Axes(long outer, long extent, long picks, long inner) {
        static Axes of(int axis, TensorType indices, long extent) {
            long outer = 1;
            long inner = 1;
            for (int i = 0; i < indices.rank(); i++) {
                if (i < axis) {
                    outer *= indices.dim(i).value();
                } else if (i > axis) {
                    inner *= indices.dim(i).value();
                }
            }
            return new Axes(outer, extent, indices.dim(axis).value(), inner);
        }

        long indices() {
            return outer * picks * inner;
        }

        long cells() {
            return outer * extent * inner;
        }

        boolean isSorted() {
            return picks > FEW_PICKS && cells() > FEW_COMPARISONS / picks && SegmentSums.fits(indices(), cells());
        }

        String declare(KernelCall call, boolean narrow) {
            StringBuilder numbers = new StringBuilder();
            for (long extent : new long[] {extent, picks, inner}) {
                numbers.append(call.index(narrow, extent)).append(", ");
            }
            for (long divisor : new long[] {inner, picks, extent}) {
                numbers.append(call.divisor(narrow, divisor)).append(", ");
            }
            numbers.setLength(numbers.length() - 2);
            return "Picks<" + (narrow ? "u32" : "u64") + ">{" + numbers + "}";
        }

        boolean isNarrow() {
            return Math.max(indices(), cells()) < 1L << 31;
        }
    }

    public static void gather(Gather op, KernelStepBinding step) {
        DType type = step.operandType(0).dtype();
        Axes axes = Axes.of(
                op.axis(),
                step.operandType(1),
                step.operandType(0).dim(op.axis()).value());
        if (axes.indices() == 0) {
            return;
        }
        Word word = new Word(type.bytes());
        boolean narrow = axes.isNarrow();
        KernelCall call = new KernelCall("gather", word.label(), "gather.cuh");
        String arguments = call.pointer("const " + word.type(), step.dense(0)) + ", " + step.input(call, 1) + ", "
                + call.pointer(word.type(), step.resultAddress(0)) + ", " + axes.declare(call, narrow) + ", "
                + call.u64(type == DType.BOOL ? 0 : -1) + ", "
                + call.index(narrow, axes.indices());
        call.body("pick(" + arguments + ");");
        step.launch(call.threads(THREADS).grid(Math.ceilDiv(axes.indices(), (long) THREADS)));
    }

    public static CudaKernel of(ScatterAdd op) {
        return CudaKernel.of(types -> workspaceBytes(op, types.operands()), step -> scatterAdd(op, step));
    }

    private static void scatterAdd(ScatterAdd op, KernelStepBinding step) {
        TensorType dy = step.operandType(0);
        DType ids = step.operandType(1).dtype();
        Axes axes = axes(op, step.operandType(1));
        if (axes.cells() == 0) {
            return;
        }
        if (axes.isSorted()) {
            sums(axes)
                    .launch(
                            step,
                            "gather.cuh",
                            call -> "CellKeys<" + CudaType.of(ids) + ">{" + step.input(call, 1) + ", "
                                    + axes.declare(call, true) + ", " + call.u32(axes.cells()) + "}",
                            1);
            return;
        }
        boolean narrow = axes.isNarrow();
        KernelCall call = new KernelCall("scatter_add", dy.dtype().label(), "gather.cuh");
        String arguments = step.input(call, 0) + ", " + step.input(call, 1) + ", " + step.result(call, 0) + ", "
                + axes.declare(call, narrow) + ", " + call.index(narrow, axes.cells());
        call.body("sum_picks(" + arguments + ");");
        step.launch(call.threads(THREADS).grid(Math.ceilDiv(axes.cells(), (long) THREADS)));
    }

    private static Axes axes(ScatterAdd op, TensorType indices) {
        return Axes.of(op.axis(), indices, op.extent().value());
    }

    private static SegmentSums sums(Axes axes) {
        return new SegmentSums(axes.indices(), axes.cells());
    }

    private static long workspaceBytes(ScatterAdd op, List<TensorType> operands) {
        Axes axes = axes(op, operands.get(1));
        return axes.isSorted()
                ? sums(axes).workspaceBytes(1, operands.getFirst().dtype())
                : 0;
    }
}
