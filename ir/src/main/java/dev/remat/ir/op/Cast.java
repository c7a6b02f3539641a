package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The same numbers in another dtype. Floats round to nearest, ties to even; to integers they truncate; to bool anything
 * but 0 is true.
 */
public record Cast(DType dtype) implements Elementwise, Differentiable {
    public Cast {
        Expect.argument(dtype != DType.SEED, "nothing can be cast to a seed");
    }

    public static Cast parse(Attributes attributes) {
        return new Cast(DType.ofLabel(attributes.word("dtype")));
    }

    @Override
    public String mnemonic() {
        return "cast";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("dtype", dtype.label());
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        Expect.tensor(this, operands.getFirst());
        return List.of(operands.getFirst().with(dtype));
    }

    /** Linear but for the rounding of floats. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        boolean keeps =
                dtype.isFloat() || dtype.isInteger() && operands.type(0).dtype().isInteger();
        String reason = "casts a mean over the batch to " + dtype.label();
        return List.of(keeps ? operands.linear() : operands.nonlinear(reason));
    }

    @Override
    public Op retype(UnaryOperator<DType> dtypes) {
        return new Cast(dtypes.apply(dtype));
    }

    /** Only between floats does a gradient pass. */
    @Override
    public boolean isDifferentiable() {
        return dtype.isFloat();
    }

    @Override
    public void differentiate(GradientContext context) {
        DType from = context.type(context.operand(0)).dtype();
        if (from.isFloat()) {
            context.contribute(0, context.cast(context.upstream(), from));
        }
    }
}
