package dev.remat.codegen.cuda.family.reduce;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.ElementwiseBody;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.OpTypes;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Reduce;
import java.util.List;
import java.util.Locale;

/** Sums, means and maxima over axes, of what elementwise instructions make of memory. */
public record ReduceKernel(Reduce op) implements CudaKernel {
    @Override
    public boolean takesStrides(int index) {
        return true;
    }

    @Override
    public boolean takesPrologue(List<TensorType> operands) {
        return true;
    }

    @Override
    public boolean storesSeveral(List<TensorType> operands) {
        return true;
    }

    @Override
    public void lower(KernelStepBinding step) {
        TensorType operand = step.operandType(0);
        ReductionShape shape = shape(operand);
        ElementwiseBody body = ElementwiseBody.prologue(step);
        reducer(operand)
                .launch(
                        step,
                        shape,
                        call -> body.declare(withFold(call)),
                        call -> output(step, shape, withFold(call)),
                        0);
    }

    private KernelCall withFold(KernelCall call) {
        return switch (op.kind()) {
            case SUM, MEAN, MAX -> call;
            case MIN, PROD -> call.header("folds.cuh");
        };
    }

    @Override
    public long workspaceBytes(OpTypes types) {
        return workspaceBytes(types.operand(0));
    }

    public long workspaceBytes(TensorType operand) {
        return reducer(operand).workspaceBytes(shape(operand));
    }

    private ReductionShape shape(TensorType operand) {
        return ReductionShape.of(operand.shape().toArray(), op.axes(), operand.dtype());
    }

    private Reducer reducer(TensorType operand) {
        String name = op.kind().name().toLowerCase(Locale.ROOT);
        String number = CudaType.accumulator(operand.dtype());
        String reducer = switch (op.kind()) {
            case SUM, MEAN -> "SumFold<" + number + ">";
            case MAX -> "MaxFold<" + number + ">";
            case MIN -> "MinFold<" + number + ">";
            case PROD -> "ProductFold<" + number + ">";
        };
        return new Reducer(
                "reduce",
                name + "_" + operand.dtype().label(),
                reducer,
                number,
                1,
                operand.dtype().accumulator());
    }

    private String output(KernelStepBinding step, ReductionShape shape, KernelCall call) {
        DType type = step.resultType(0).dtype();
        String to = step.result(call, 0);
        return switch (op.kind()) {
            case SUM, MAX, MIN, PROD -> "Folded<" + CudaType.of(type) + ">{" + to + "}";
            case MEAN -> "FoldedMean<" + CudaType.of(type) + ">{" + to + ", " + call.real(type, shape.elements()) + "}";
        };
    }
}
