package dev.remat.codegen.cuda.family.row;

import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.CumulativeSum;
import dev.remat.ir.op.Sort;

/** What follows from the order of a row's elements: sorting and running sums, a block for each row. */
public final class RowOrderKernels {
    private RowOrderKernels() {}

    public static void sort(Sort op, KernelStepBinding step) {
        TensorType x = step.operandType(0);
        String direction = op.descending() ? "descending" : "ascending";
        KernelCall call = new KernelCall("sort", x.dtype().label() + "_" + direction, "rows.cuh");
        call.body("sort_row<" + op.descending() + ">(" + step.input(call, 0) + ", " + step.result(call, 0) + ", "
                + step.result(call, 1) + ", " + call.u32(columns(x)) + ");");
        launch(call, x, step);
    }

    public static void cumulativeSum(CumulativeSum op, KernelStepBinding step) {
        TensorType x = step.operandType(0);
        String direction = op.reverse() ? "_reverse" : "";
        KernelCall call = new KernelCall("cumsum", x.dtype().label() + direction, "rows.cuh");
        call.body("sum_row<" + op.reverse() + ">(" + step.input(call, 0) + ", " + step.result(call, 0) + ", "
                + call.u32(columns(x)) + ");");
        launch(call, x, step);
    }

    private static long columns(TensorType x) {
        return x.dim(x.rank() - 1).value();
    }

    private static void launch(KernelCall call, TensorType x, KernelStepBinding step) {
        if (x.elements() > 0) {
            step.launch(call.threads(RowShape.THREADS).grid(x.elements() / columns(x)));
        }
    }
}
