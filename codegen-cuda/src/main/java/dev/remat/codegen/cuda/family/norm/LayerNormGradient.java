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
import dev.remat.ir.op.NormalizeGradient;
import java.util.List;
import java.util.function.Function;

/**
 * Gradient of layer and RMS normalization, over the inner axes: dy and x are read once. Threads that share a row hold
 * it in registers and keep sums of their columns over the rows they see; another launch adds those of the blocks.
 *
 * @param items packs that a thread holds
 * @param blocks as many as the architecture runs at once, or fewer
 */
record LayerNormGradient(RowShape row, int items, long blocks) {
    private static final String FAMILY = "layer_gradient";
    private static final int MOST_ITEMS = 4;
    /** Elements of a row that a thread may hold without losing the second block of a multiprocessor. */
    private static final int HELD = 24;

    private static final int RESIDENT = 2;

    /** Whether the axes are the inner ones, gamma has a number for each element of a row, and a block holds a row. */
    static boolean fits(NormalizeGradient op, List<TensorType> operands) {
        TensorType x = operands.get(1);
        boolean inner = false;
        for (int axis = 0; axis < x.rank(); axis++) {
            long extent = x.dim(axis).value();
            boolean reduced = op.axes().contains(axis);
            if (extent > 1) {
                if (inner && !reduced) {
                    return false;
                }
                inner |= reduced;
                long spread =
                        op.scaled() ? operands.get(op.gammaIndex()).dim(axis).value() : 1;
                if (op.scaled() && spread != (reduced ? extent : 1)) {
                    return false;
                }
            }
        }
        return inner && rows(op, x).packs() <= (long) ReductionShape.THREADS * MOST_ITEMS;
    }

    private static RowShape rows(NormalizeGradient op, TensorType x) {
        long width = op.axes().stream().mapToLong(axis -> x.dim(axis).value()).reduce(1, Math::multiplyExact);
        int pack = (int) Math.min(16 / x.dtype().bytes(), Long.lowestOneBit(width));
        long packs = width / pack;
        int sharing = 32;
        while (sharing < ReductionShape.THREADS && packs > (long) sharing * Math.min(MOST_ITEMS, HELD / pack)) {
            sharing *= 2;
        }
        return new RowShape(x.elements() / width, pack, packs, sharing);
    }

    private static LayerNormGradient of(Architecture architecture, NormalizeGradient op, List<TensorType> operands) {
        RowShape row = rows(op, operands.get(1));
        int items = Math.toIntExact(Math.ceilDiv(row.packs(), row.sharing()));
        long resident = (long) RESIDENT * architecture.multiprocessors();
        return new LayerNormGradient(row, items, Math.min(resident, row.blocks()));
    }

    private long width() {
        return row.packs() * row.width();
    }

    static long workspaceBytes(Architecture architecture, NormalizeGradient op, List<TensorType> operands) {
        LayerNormGradient shape = of(architecture, op, operands);
        return op.scaled()
                ? 2
                        * shape.blocks
                        * shape.width()
                        * operands.get(1).dtype().accumulator().bytes()
                : 0;
    }

    static void lower(NormalizeGradient op, KernelStepBinding step) {
        LayerNormGradient shape = of(step.architecture(), op, step.operandTypes());
        DType type = step.operandType(1).dtype();
        DType wide = type.accumulator();
        String number = CudaType.of(wide);
        long bytes = workspaceBytes(step.architecture(), op, step.operandTypes());
        DType gamma = op.scaled() ? step.operandType(op.gammaIndex()).dtype() : type;
        KernelCall call = new KernelCall(FAMILY, type.label(), FAMILY + ".cuh");
        boolean aligned = step.isAligned(0) && step.isAligned(1);
        String arguments = String.join(
                ", ",
                step.input(call, 0),
                step.input(call, 1),
                op.centered() ? step.input(call, 2) : call.input(wide, ParameterType.NULL),
                step.input(call, op.varianceIndex()),
                op.scaled() ? step.input(call, op.gammaIndex()) : call.input(gamma, ParameterType.NULL),
                step.output(call),
                op.scaled() ? step.workspace(call, number, 0, bytes) : call.output(wide, ParameterType.NULL),
                call.u64(shape.row.rows()),
                call.u32(shape.row.packs()),
                call.real(wide, op.epsilon()));
        call.body("layer_gradient<" + shape.row.width() + ", " + shape.items + ", " + shape.row.sharing() + ", "
                + op.scaled() + ", " + aligned + ">(" + arguments + ");");
        step.launch(call.threads(ReductionShape.THREADS).leastBlocks(RESIDENT).grid(shape.blocks));
        if (op.scaled()) {
            shape.mergeBlocks(op, step, number, bytes, wide);
        }
    }

    private void mergeBlocks(NormalizeGradient op, KernelStepBinding step, String number, long bytes, DType wide) {
        ReductionShape columns = ReductionShape.merging(blocks, width(), wide);
        Reducer reducer = new Reducer(
                FAMILY,
                "merge_" + wide.label(),
                "Merged<AlongFold<" + number + ">>",
                "Numbers<" + number + ", 2>",
                2,
                wide);
        Function<KernelCall, String> input = call -> "Partial<Numbers<" + number + ", 2>, false>{"
                + step.workspace(call, number, 0, bytes) + ", " + call.u64(width()) + ", " + call.u32(blocks) + "}";
        reducer.launch(
                step,
                columns,
                input,
                call -> "AffineGradient<" + number + ">{" + step.result(call, 1) + ", "
                        + (op.shifted() ? step.result(call, 2) : call.output(wide, ParameterType.NULL)) + "}",
                0);
    }
}
